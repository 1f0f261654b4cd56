-- The mail of an invitation waits in the queue until a worker with a mail server takes it, which may be never. It leaves
-- the queue with its link: when the invitation is accepted, deleted, gone with its tenant, or has expired.
create function withdraw_invitation_mail() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform graphile_worker.remove_job('mail-invitation:' || old.id);
  return null;
end
$$;
revoke execute on function withdraw_invitation_mail() from public;

create trigger withdraw_mail_of_deleted after delete on invitations
  for each row execute function withdraw_invitation_mail();
create trigger withdraw_mail_of_forgotten after update of link_sealed on invitations
  for each row when (old.link_sealed is not null and new.link_sealed is null) execute function withdraw_invitation_mail();
