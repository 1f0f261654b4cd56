-- The schema after migration 15, as pg_dump wrote it, without the months of the audit log.
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
CREATE FUNCTION public.announce_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform pg_notify('strongroom_changes', tg_table_name || ' ' || (to_jsonb(coalesce(old, new)) ->> tg_argv[0]));
  return null;
end
$$;
ALTER FUNCTION public.announce_change() OWNER TO postgres;
CREATE SEQUENCE public.audit_epochs
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;
ALTER TABLE public.audit_epochs OWNER TO postgres;
CREATE FUNCTION public.audit_order(transaction_number xid8) RETURNS bigint
    LANGUAGE sql STABLE
    RETURN (((SELECT audit_epochs.last_value FROM public.audit_epochs) * '281474976710656'::bigint) + ((transaction_number)::text)::bigint);
ALTER FUNCTION public.audit_order(transaction_number xid8) OWNER TO postgres;
CREATE FUNCTION public.close_older_keys(tenant uuid) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  closed integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('strongroom/data-keys/' || tenant, 0));
  update tenant_keys k set closed_at = clock_timestamp()
    where k.tenant_id = tenant and k.purpose = 'data' and k.closed_at is null
      and k.version < (select max(n.version) from tenant_keys n where n.tenant_id = tenant and n.purpose = 'data');
  get diagnostics closed = row_count;
  return closed;
end
$$;
ALTER FUNCTION public.close_older_keys(tenant uuid) OWNER TO postgres;
CREATE FUNCTION public.current_tenant_id() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid;
ALTER FUNCTION public.current_tenant_id() OWNER TO postgres;
CREATE FUNCTION public.drop_audit_partition(month date) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
begin
  -- A month before Christ would have the name of one of today.
  if month is null or month < '2000-01-01' or month >= (date_trunc('month', now() at time zone 'UTC') - interval '3 months')::date then
    raise exception 'the records of the last three months are never dropped';
  end if;
  -- Rather try again later than make every operation queue behind this one.
  set local lock_timeout = '2s';
  execute format('drop table if exists public.%I', format('audit_records_%s', to_char(month, 'YYYY_MM')));
end
$$;
ALTER FUNCTION public.drop_audit_partition(month date) OWNER TO postgres;
CREATE FUNCTION public.enqueue_job(task text, payload json, job_key text, delay_seconds integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform graphile_worker.add_job(
    identifier => task, payload => payload, job_key => job_key, run_at => now() + make_interval(secs => delay_seconds));
end
$$;
ALTER FUNCTION public.enqueue_job(task text, payload json, job_key text, delay_seconds integer) OWNER TO postgres;
CREATE FUNCTION public.ensure_audit_order_grows() RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
  select setval('audit_epochs', last_value + 1) from audit_epochs
  where (select max(sealing_order) from audit_records) >= audit_order(pg_snapshot_xmax(pg_current_snapshot()))
    or (select sealed_to from audit_sealing) > audit_order(pg_snapshot_xmax(pg_current_snapshot()))
$$;
ALTER FUNCTION public.ensure_audit_order_grows() OWNER TO strongroom_sealer;
CREATE FUNCTION public.ensure_audit_partitions(months_ahead integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
declare
  first_day date;
  partition_name text;
  created integer := 0;
begin
  if months_ahead is null or months_ahead < 0 or months_ahead > 24 then
    raise exception 'months_ahead must lie between 0 and 24';
  end if;
  -- One maker at a time: two would otherwise race between the look and the create.
  perform pg_advisory_xact_lock(hashtext('ensure_audit_partitions'));
  for month in 0 .. months_ahead loop
    first_day := (date_trunc('month', now() at time zone 'UTC') + make_interval(months => month))::date;
    partition_name := format('audit_records_%s', to_char(first_day, 'YYYY_MM'));
    if to_regclass('public.' || partition_name) is null then
      execute format(
        'create table public.%I partition of public.audit_records for values from (%L) to (%L)',
        partition_name, first_day::timestamp at time zone 'UTC', (first_day + interval '1 month') at time zone 'UTC');
      -- Reached through its parent only: without this a partition could be read past the policy of the parent.
      execute format('alter table public.%I enable row level security', partition_name);
      execute format('alter table public.%I force row level security', partition_name);
      created := created + 1;
    end if;
  end loop;
  return created;
end
$$;
ALTER FUNCTION public.ensure_audit_partitions(months_ahead integer) OWNER TO postgres;
CREATE FUNCTION public.join_user(address text, new_id uuid) RETURNS TABLE(id uuid, is_free boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
declare
  found_id uuid;
begin
  insert into users (id, email) values (new_id, address) on conflict do nothing;
  select users.id into strict found_id from users where lower(users.email) = lower(address) for update;
  return query select found_id, not (
    exists (select from members where members.user_id = found_id)
    or exists (select from user_passwords where user_passwords.user_id = found_id)
    or exists (select from user_passkeys where user_passkeys.user_id = found_id)
    or exists (select from user_identities where user_identities.user_id = found_id));
end
$$;
ALTER FUNCTION public.join_user(address text, new_id uuid) OWNER TO strongroom_portal;
CREATE FUNCTION public.key_version(record bytea) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN (length(record) >= 6) THEN ((('x'::text || encode(SUBSTRING(record FROM 3 FOR 4), 'hex'::text)))::bit(32))::integer ELSE NULL::integer END;
ALTER FUNCTION public.key_version(record bytea) OWNER TO postgres;
CREATE FUNCTION public.require_open_keys(tenant uuid, versions integer[]) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
begin
  -- Under another level the snapshot would be older than the lock.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'sealed records are written under read committed' using errcode = 'SR002';
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended('strongroom/data-keys/' || tenant, 0));
  if exists (
    select from unnest(versions) as wanted(version)
    where not exists (
      select from tenant_keys k where k.tenant_id = tenant and k.purpose = 'data' and k.version = wanted.version
        and k.closed_at is null)
  ) then
    raise exception 'a key version is closed' using errcode = 'SR001';
  end if;
  return true;
end
$$;
ALTER FUNCTION public.require_open_keys(tenant uuid, versions integer[]) OWNER TO postgres;
CREATE FUNCTION public.sign_member_out() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
begin
  delete from user_sessions where user_id = old.user_id;
  delete from user_links where user_id = old.user_id;
  return null;
end
$$;
ALTER FUNCTION public.sign_member_out() OWNER TO strongroom_portal;
CREATE TABLE public.application_keys (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    application_id uuid NOT NULL,
    version integer NOT NULL,
    secret_hash bytea NOT NULL,
    created_by uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp(3) with time zone
);
ALTER TABLE ONLY public.application_keys FORCE ROW LEVEL SECURITY;
ALTER TABLE public.application_keys OWNER TO postgres;
COMMENT ON COLUMN public.application_keys.secret_hash IS 'HMAC-SHA-256 of the secret part under the credential key of the installation.';
CREATE TABLE public.applications (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    permissions text[] NOT NULL,
    rules jsonb NOT NULL,
    expires_at timestamp(3) with time zone,
    created_by uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    modified_by uuid,
    modified_at timestamp(3) with time zone,
    allowed_destinations text[],
    CONSTRAINT applications_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
    CONSTRAINT applications_type_known CHECK ((type = ANY (ARRAY['private'::text, 'public'::text, 'management'::text])))
);
ALTER TABLE ONLY public.applications FORCE ROW LEVEL SECURITY;
ALTER TABLE public.applications OWNER TO postgres;
COMMENT ON COLUMN public.applications.allowed_destinations IS 'Host names, or *. and a host name for exactly one label before it. Null: no list.';
CREATE TABLE public.audit_checkpoints (
    tenant_id uuid NOT NULL,
    number bigint NOT NULL,
    tree_size bigint NOT NULL,
    month date NOT NULL,
    order_to bigint NOT NULL,
    root bytea NOT NULL,
    frontier bytea NOT NULL,
    sealed_at timestamp(3) with time zone NOT NULL,
    key_version integer NOT NULL,
    signature bytea NOT NULL
);
ALTER TABLE ONLY public.audit_checkpoints FORCE ROW LEVEL SECURITY;
ALTER TABLE public.audit_checkpoints OWNER TO postgres;
COMMENT ON COLUMN public.audit_checkpoints.frontier IS 'Roots of the complete subtrees, largest first: all that is needed to append.';
CREATE TABLE public.audit_counts (
    tenant_id uuid NOT NULL,
    grain text NOT NULL,
    bucket timestamp(3) with time zone NOT NULL,
    entity_type text NOT NULL,
    records bigint NOT NULL,
    CONSTRAINT audit_counts_grain_known CHECK ((grain = ANY (ARRAY['minute'::text, 'hour'::text, 'day'::text])))
);
ALTER TABLE ONLY public.audit_counts FORCE ROW LEVEL SECURITY;
ALTER TABLE public.audit_counts OWNER TO postgres;
CREATE TABLE public.audit_records (
    tenant_id uuid NOT NULL,
    entity_id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    entity_type text NOT NULL,
    operation text NOT NULL,
    outcome text NOT NULL,
    actor_id uuid,
    actor_type text,
    key_id uuid,
    request_id text,
    source_address text,
    containers text[],
    destination text,
    sealing_order bigint DEFAULT public.audit_order(pg_current_xact_id()) NOT NULL
)
PARTITION BY RANGE (created_at);
ALTER TABLE ONLY public.audit_records FORCE ROW LEVEL SECURITY;
ALTER TABLE public.audit_records OWNER TO postgres;
COMMENT ON COLUMN public.audit_records.destination IS 'Host that a proxied call went to.';
COMMENT ON COLUMN public.audit_records.sealing_order IS 'audit_order() of the transaction that wrote the record; the sealer follows it.';
CREATE TABLE public.audit_sealing (
    only_row boolean DEFAULT true NOT NULL,
    sealed_to bigint NOT NULL,
    CONSTRAINT audit_sealing_one_row CHECK (only_row)
);
ALTER TABLE ONLY public.audit_sealing FORCE ROW LEVEL SECURITY;
ALTER TABLE public.audit_sealing OWNER TO postgres;
CREATE TABLE public.idempotency_results (
    tenant_id uuid NOT NULL,
    key_hash bytea NOT NULL,
    claim_id uuid NOT NULL,
    is_answered boolean DEFAULT false NOT NULL,
    sealed bytea,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT idempotency_results_claim_is_empty CHECK ((is_answered OR (sealed IS NULL)))
);
ALTER TABLE ONLY public.idempotency_results FORCE ROW LEVEL SECURITY;
ALTER TABLE public.idempotency_results OWNER TO postgres;
COMMENT ON COLUMN public.idempotency_results.key_hash IS 'Keyed hash (128 bits of HMAC-SHA-256) of application, operation and idempotency key.';
COMMENT ON COLUMN public.idempotency_results.sealed IS 'Ciphertext: status, header fields and body of the answer, bound to tenant and key_hash; null in a claim, and for an answer too large to keep.';
CREATE TABLE public.invitations (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    link_hash bytea NOT NULL,
    link_number integer DEFAULT 1 NOT NULL,
    link_sealed bytea,
    expires_at timestamp(3) with time zone NOT NULL,
    created_by uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    modified_by uuid,
    modified_at timestamp(3) with time zone,
    CONSTRAINT invitations_email_length CHECK (((char_length(email) >= 3) AND (char_length(email) <= 254))),
    CONSTRAINT invitations_role_known CHECK ((role = ANY (ARRAY['ADMIN'::text, 'READ_ONLY'::text])))
);
ALTER TABLE ONLY public.invitations FORCE ROW LEVEL SECURITY;
ALTER TABLE public.invitations OWNER TO postgres;
COMMENT ON COLUMN public.invitations.link_hash IS 'HMAC-SHA-256 of the link under the credential key of the installation.';
COMMENT ON COLUMN public.invitations.link_number IS 'Counts the links: a mail that was queued with an earlier one is not sent.';
COMMENT ON COLUMN public.invitations.link_sealed IS 'Ciphertext: the link, until a mail has carried it away.';
CREATE TABLE public.members (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    created_by uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    modified_by uuid,
    modified_at timestamp(3) with time zone,
    CONSTRAINT members_role_known CHECK ((role = ANY (ARRAY['OWNER'::text, 'ADMIN'::text, 'READ_ONLY'::text])))
);
ALTER TABLE ONLY public.members FORCE ROW LEVEL SECURITY;
ALTER TABLE public.members OWNER TO postgres;
CREATE TABLE public.proxy_calls (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    destination text NOT NULL,
    started_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY public.proxy_calls FORCE ROW LEVEL SECURITY;
ALTER TABLE public.proxy_calls OWNER TO postgres;
CREATE TABLE public.reencryptions (
    tenant_id uuid NOT NULL,
    source text NOT NULL,
    target_version integer NOT NULL,
    "position" text DEFAULT ''::text NOT NULL,
    rows_read bigint DEFAULT 0 NOT NULL,
    rows_changed bigint DEFAULT 0 NOT NULL,
    rows_unreadable bigint DEFAULT 0 NOT NULL,
    started_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    finished_at timestamp(3) with time zone
);
ALTER TABLE ONLY public.reencryptions FORCE ROW LEVEL SECURITY;
ALTER TABLE public.reencryptions OWNER TO postgres;
CREATE TABLE public.schema_migrations (
    version integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    is_breaking boolean NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE public.schema_migrations OWNER TO postgres;
CREATE TABLE public.sessions (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    application_id uuid NOT NULL,
    secret_hash bytea NOT NULL,
    nonce_hash bytea NOT NULL,
    permissions text[] DEFAULT '{}'::text[] NOT NULL,
    rules jsonb DEFAULT '[]'::jsonb NOT NULL,
    authorized_by uuid,
    authorized_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT sessions_authorization_whole CHECK (((authorized_by IS NULL) = (authorized_at IS NULL)))
);
ALTER TABLE ONLY public.sessions FORCE ROW LEVEL SECURITY;
ALTER TABLE public.sessions OWNER TO postgres;
COMMENT ON COLUMN public.sessions.secret_hash IS 'HMAC-SHA-256 of the secret part of the session key under the credential key of the installation.';
COMMENT ON COLUMN public.sessions.nonce_hash IS 'HMAC-SHA-256 of the nonce under the credential key of the installation.';
CREATE TABLE public.sign_in_attempts (
    subject_hash bytea NOT NULL,
    attempts integer NOT NULL,
    started_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE ONLY public.sign_in_attempts FORCE ROW LEVEL SECURITY;
ALTER TABLE public.sign_in_attempts OWNER TO postgres;
COMMENT ON COLUMN public.sign_in_attempts.subject_hash IS 'HMAC-SHA-256 of the address that is counted.';
CREATE TABLE public.spent_ceremonies (
    id uuid NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE ONLY public.spent_ceremonies FORCE ROW LEVEL SECURITY;
ALTER TABLE public.spent_ceremonies OWNER TO postgres;
CREATE TABLE public.system_keys (
    purpose text NOT NULL,
    version integer NOT NULL,
    root_key text NOT NULL,
    wrapped bytea NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT system_keys_purpose_known CHECK ((purpose = ANY (ARRAY['credential'::text, 'exchange'::text, 'audit'::text, 'user'::text])))
);
ALTER TABLE ONLY public.system_keys FORCE ROW LEVEL SECURITY;
ALTER TABLE public.system_keys OWNER TO postgres;
COMMENT ON COLUMN public.system_keys.wrapped IS 'Ciphertext: the 256-bit key of the installation, wrapped by the root key.';
CREATE TABLE public.tenant_keys (
    tenant_id uuid NOT NULL,
    purpose text NOT NULL,
    version integer NOT NULL,
    root_key text NOT NULL,
    wrapped bytea NOT NULL,
    canary bytea NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    closed_at timestamp(3) with time zone,
    CONSTRAINT tenant_keys_purpose_known CHECK ((purpose = ANY (ARRAY['data'::text, 'fingerprint'::text, 'index'::text]))),
    CONSTRAINT tenant_keys_version_positive CHECK ((version > 0))
);
ALTER TABLE ONLY public.tenant_keys FORCE ROW LEVEL SECURITY;
ALTER TABLE public.tenant_keys OWNER TO postgres;
COMMENT ON COLUMN public.tenant_keys.root_key IS 'Provider and fingerprint of the root key that wraps this key.';
COMMENT ON COLUMN public.tenant_keys.wrapped IS 'Ciphertext: the 256-bit tenant key, wrapped by the root key.';
COMMENT ON COLUMN public.tenant_keys.canary IS 'Ciphertext: a known text under this key, opened at every start.';
COMMENT ON COLUMN public.tenant_keys.closed_at IS 'From then on nothing is sealed under this version; what it sealed still opens.';
CREATE TABLE public.tenants (
    id uuid NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    settings jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_by uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    modified_by uuid,
    modified_at timestamp(3) with time zone,
    CONSTRAINT tenants_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
    CONSTRAINT tenants_type_known CHECK ((type = ANY (ARRAY['test'::text, 'production'::text])))
);
ALTER TABLE ONLY public.tenants FORCE ROW LEVEL SECURITY;
ALTER TABLE public.tenants OWNER TO postgres;
CREATE TABLE public.token_counts (
    tenant_id uuid NOT NULL,
    type text NOT NULL,
    containers text[] NOT NULL,
    slot smallint NOT NULL,
    tokens bigint NOT NULL,
    last_created_at timestamp(3) with time zone
)
WITH (fillfactor='50');
ALTER TABLE ONLY public.token_counts FORCE ROW LEVEL SECURITY;
ALTER TABLE public.token_counts OWNER TO postgres;
CREATE TABLE public.token_cvcs (
    tenant_id uuid NOT NULL,
    token_id text NOT NULL,
    token_version integer NOT NULL,
    sealed bytea NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE ONLY public.token_cvcs FORCE ROW LEVEL SECURITY;
ALTER TABLE public.token_cvcs OWNER TO postgres;
COMMENT ON COLUMN public.token_cvcs.token_version IS 'The version of the token that wrote the code; part of what the ciphertext is bound to.';
COMMENT ON COLUMN public.token_cvcs.sealed IS 'Ciphertext: the card verification code, under an epoch key that is never stored.';
CREATE TABLE public.token_export_approvals (
    tenant_id uuid NOT NULL,
    export_id uuid NOT NULL,
    user_id uuid NOT NULL,
    approved_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY public.token_export_approvals FORCE ROW LEVEL SECURITY;
ALTER TABLE public.token_export_approvals OWNER TO postgres;
CREATE TABLE public.token_exports (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    recipient_kind text NOT NULL,
    recipient text NOT NULL,
    fingerprint text NOT NULL,
    token_type text,
    container text,
    requested_from text NOT NULL,
    approvals_needed smallint NOT NULL,
    requested_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    refused_at timestamp(3) with time zone,
    started_at timestamp(3) with time zone,
    finished_at timestamp(3) with time zone,
    tokens bigint,
    CONSTRAINT token_exports_ends_once CHECK (((refused_at IS NULL) OR (started_at IS NULL))),
    CONSTRAINT token_exports_recipient_kind_known CHECK ((recipient_kind = ANY (ARRAY['age'::text, 'pgp'::text]))),
    CONSTRAINT token_exports_recipient_length CHECK ((char_length(recipient) <= 65536))
);
ALTER TABLE ONLY public.token_exports FORCE ROW LEVEL SECURITY;
ALTER TABLE public.token_exports OWNER TO postgres;
COMMENT ON COLUMN public.token_exports.recipient IS 'Public: an age recipient, or an OpenPGP key in armor.';
COMMENT ON COLUMN public.token_exports.requested_from IS 'Account and machine that the operator asked from, as the machine says; proven by nothing.';
CREATE TABLE public.token_fingerprints (
    tenant_id uuid NOT NULL,
    fingerprint text NOT NULL
);
ALTER TABLE ONLY public.token_fingerprints FORCE ROW LEVEL SECURITY;
ALTER TABLE public.token_fingerprints OWNER TO postgres;
CREATE TABLE public.token_imports (
    tenant_id uuid NOT NULL,
    source bytea NOT NULL,
    settings bytea NOT NULL,
    "position" bigint DEFAULT 0 NOT NULL,
    line bigint DEFAULT 0 NOT NULL,
    imported bigint DEFAULT 0 NOT NULL,
    rejected bigint DEFAULT 0 NOT NULL,
    started_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    moved_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    finished_at timestamp(3) with time zone
);
ALTER TABLE ONLY public.token_imports FORCE ROW LEVEL SECURITY;
ALTER TABLE public.token_imports OWNER TO postgres;
COMMENT ON COLUMN public.token_imports.source IS 'Keyed hash of the whole file: a plain one could be tried against guessed contents.';
COMMENT ON COLUMN public.token_imports.settings IS 'Keyed hash of what the file was read with: its format and its map.';
COMMENT ON COLUMN public.token_imports."position" IS 'Bytes of the file that are dealt with; always the end of a record.';
COMMENT ON COLUMN public.token_imports.line IS 'Lines of the file that are dealt with.';
CREATE TABLE public.token_terms (
    tenant_id uuid NOT NULL,
    term bytea NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    token_id text NOT NULL
);
ALTER TABLE ONLY public.token_terms FORCE ROW LEVEL SECURITY;
ALTER TABLE public.token_terms OWNER TO postgres;
COMMENT ON COLUMN public.token_terms.term IS 'Keyed hash (128 bits of HMAC-SHA-256) of a search index value or a metadata pair.';
CREATE TABLE public.tokens (
    tenant_id uuid NOT NULL,
    id text NOT NULL,
    type text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    data bytea NOT NULL,
    mask text,
    containers text[] NOT NULL,
    shelf text NOT NULL,
    metadata jsonb,
    search_indexes text,
    fingerprint text,
    fingerprint_expression text,
    terms bytea[] DEFAULT '{}'::bytea[] NOT NULL,
    expires_at timestamp(3) with time zone,
    expires_at_offset_minutes smallint,
    created_by uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    modified_by uuid,
    modified_at timestamp(3) with time zone,
    CONSTRAINT tokens_expiry_whole CHECK (((expires_at IS NULL) = (expires_at_offset_minutes IS NULL))),
    CONSTRAINT tokens_id_length CHECK (((char_length(id) >= 3) AND (char_length(id) <= 400)))
);
ALTER TABLE ONLY public.tokens FORCE ROW LEVEL SECURITY;
ALTER TABLE public.tokens OWNER TO postgres;
COMMENT ON COLUMN public.tokens.version IS 'Counts the writes of this row; part of what the ciphertext is bound to.';
COMMENT ON COLUMN public.tokens.data IS 'Ciphertext: the JSON text of the data, bound to tenant, token, field, type and version.';
COMMENT ON COLUMN public.tokens.mask IS 'JSON text of the mask as supplied; null where the default of the type applies.';
COMMENT ON COLUMN public.tokens.shelf IS 'Type and containers as one text. Under row-level security PostgreSQL uses an index on text, but not on an array.';
COMMENT ON COLUMN public.tokens.search_indexes IS 'JSON text of the index expressions as supplied; null where the default of the type applies.';
COMMENT ON COLUMN public.tokens.terms IS 'The terms under which token_terms lists this token, so that they can be removed without opening it.';
COMMENT ON COLUMN public.tokens.created_by IS 'The application that made the token; null where an operator imported it.';
CREATE TABLE public.user_identities (
    user_id uuid NOT NULL,
    issuer text NOT NULL,
    subject text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT user_identities_subject_length CHECK (((char_length(subject) >= 1) AND (char_length(subject) <= 255)))
);
ALTER TABLE ONLY public.user_identities FORCE ROW LEVEL SECURITY;
ALTER TABLE public.user_identities OWNER TO postgres;
CREATE TABLE public.user_links (
    link_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE ONLY public.user_links FORCE ROW LEVEL SECURITY;
ALTER TABLE public.user_links OWNER TO postgres;
COMMENT ON COLUMN public.user_links.link_hash IS 'HMAC-SHA-256 of the link under the credential key of the installation.';
CREATE TABLE public.user_passkeys (
    user_id uuid NOT NULL,
    id bytea NOT NULL,
    public_key bytea NOT NULL,
    sign_count bigint NOT NULL,
    transports text[] NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp(3) with time zone,
    CONSTRAINT user_passkeys_id_length CHECK (((length(id) >= 1) AND (length(id) <= 1023)))
);
ALTER TABLE ONLY public.user_passkeys FORCE ROW LEVEL SECURITY;
ALTER TABLE public.user_passkeys OWNER TO postgres;
CREATE TABLE public.user_passwords (
    user_id uuid NOT NULL,
    salt bytea NOT NULL,
    password_hash bytea NOT NULL,
    totp_sealed bytea NOT NULL,
    totp_step bigint NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY public.user_passwords FORCE ROW LEVEL SECURITY;
ALTER TABLE public.user_passwords OWNER TO postgres;
COMMENT ON COLUMN public.user_passwords.password_hash IS 'scrypt of the password, then HMAC-SHA-256 under the credential key of the installation.';
COMMENT ON COLUMN public.user_passwords.totp_sealed IS 'Ciphertext: the secret of the authenticator app.';
COMMENT ON COLUMN public.user_passwords.totp_step IS 'Time step of the last code that was taken; neither it nor an earlier one is taken again.';
CREATE TABLE public.user_sessions (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    secret_hash bytea NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    last_seen_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    proven_since timestamp(3) with time zone
);
ALTER TABLE ONLY public.user_sessions FORCE ROW LEVEL SECURITY;
ALTER TABLE public.user_sessions OWNER TO postgres;
COMMENT ON COLUMN public.user_sessions.secret_hash IS 'HMAC-SHA-256 of the cookie under the credential key of the installation.';
COMMENT ON COLUMN public.user_sessions.proven_since IS 'When the passkey, password or provider that the session began with was set up; null for a link.';
CREATE TABLE public.users (
    id uuid NOT NULL,
    email text,
    first_name text,
    last_name text,
    picture text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY public.users FORCE ROW LEVEL SECURITY;
ALTER TABLE public.users OWNER TO postgres;
ALTER TABLE ONLY public.application_keys
    ADD CONSTRAINT application_keys_id_key UNIQUE (id);
ALTER TABLE ONLY public.application_keys
    ADD CONSTRAINT application_keys_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY public.applications
    ADD CONSTRAINT applications_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY public.audit_checkpoints
    ADD CONSTRAINT audit_checkpoints_pkey PRIMARY KEY (tenant_id, number);
ALTER TABLE ONLY public.audit_counts
    ADD CONSTRAINT audit_counts_pkey PRIMARY KEY (tenant_id, grain, bucket, entity_type);
ALTER TABLE ONLY public.audit_records
    ADD CONSTRAINT audit_records_pkey PRIMARY KEY (tenant_id, entity_type, created_at, id, entity_id);
ALTER TABLE ONLY public.audit_sealing
    ADD CONSTRAINT audit_sealing_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY public.idempotency_results
    ADD CONSTRAINT idempotency_results_pkey PRIMARY KEY (tenant_id, key_hash);
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_link_key UNIQUE (link_hash);
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_user_key UNIQUE (tenant_id, user_id);
ALTER TABLE ONLY public.proxy_calls
    ADD CONSTRAINT proxy_calls_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY public.reencryptions
    ADD CONSTRAINT reencryptions_pkey PRIMARY KEY (tenant_id, source);
ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_id_key UNIQUE (id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_nonce_key UNIQUE (tenant_id, nonce_hash);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY public.sign_in_attempts
    ADD CONSTRAINT sign_in_attempts_pkey PRIMARY KEY (subject_hash);
ALTER TABLE ONLY public.spent_ceremonies
    ADD CONSTRAINT spent_ceremonies_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.system_keys
    ADD CONSTRAINT system_keys_pkey PRIMARY KEY (purpose, version);
ALTER TABLE ONLY public.tenant_keys
    ADD CONSTRAINT tenant_keys_pkey PRIMARY KEY (tenant_id, purpose, version);
ALTER TABLE ONLY public.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.token_counts
    ADD CONSTRAINT token_counts_pkey PRIMARY KEY (tenant_id, type, containers, slot);
ALTER TABLE ONLY public.token_cvcs
    ADD CONSTRAINT token_cvcs_pkey PRIMARY KEY (tenant_id, token_id);
ALTER TABLE ONLY public.token_export_approvals
    ADD CONSTRAINT token_export_approvals_pkey PRIMARY KEY (tenant_id, export_id, user_id);
ALTER TABLE ONLY public.token_exports
    ADD CONSTRAINT token_exports_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY public.token_fingerprints
    ADD CONSTRAINT token_fingerprints_pkey PRIMARY KEY (tenant_id, fingerprint);
ALTER TABLE ONLY public.token_imports
    ADD CONSTRAINT token_imports_pkey PRIMARY KEY (tenant_id, source);
ALTER TABLE ONLY public.token_terms
    ADD CONSTRAINT token_terms_pkey PRIMARY KEY (tenant_id, term, created_at, token_id);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY public.user_identities
    ADD CONSTRAINT user_identities_pkey PRIMARY KEY (issuer, subject);
ALTER TABLE ONLY public.user_identities
    ADD CONSTRAINT user_identities_user_key UNIQUE (user_id, issuer);
ALTER TABLE ONLY public.user_links
    ADD CONSTRAINT user_links_pkey PRIMARY KEY (link_hash);
ALTER TABLE ONLY public.user_passkeys
    ADD CONSTRAINT user_passkeys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.user_passwords
    ADD CONSTRAINT user_passwords_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.user_sessions
    ADD CONSTRAINT user_sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.user_sessions
    ADD CONSTRAINT user_sessions_secret_key UNIQUE (secret_hash);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
CREATE INDEX application_keys_of_application ON public.application_keys USING btree (tenant_id, application_id, created_at DESC, id DESC);
CREATE INDEX applications_newest ON public.applications USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX audit_checkpoints_of_order ON public.audit_checkpoints USING btree (tenant_id, order_to);
CREATE INDEX audit_checkpoints_of_size ON public.audit_checkpoints USING btree (tenant_id, tree_size);
CREATE INDEX audit_records_in_sealing_order ON ONLY public.audit_records USING btree (sealing_order);
CREATE INDEX audit_records_of_entity ON ONLY public.audit_records USING btree (tenant_id, entity_id, created_at);
CREATE INDEX idempotency_results_expiring ON public.idempotency_results USING btree (tenant_id, expires_at);
CREATE UNIQUE INDEX invitations_email_key ON public.invitations USING btree (tenant_id, lower(email));
CREATE INDEX invitations_newest ON public.invitations USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX members_newest ON public.members USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX members_of_user ON public.members USING btree (user_id);
CREATE UNIQUE INDEX members_owner_key ON public.members USING btree (tenant_id) WHERE (role = 'OWNER'::text);
CREATE INDEX sessions_expiring ON public.sessions USING btree (tenant_id, expires_at);
CREATE INDEX sessions_of_application ON public.sessions USING btree (tenant_id, application_id);
CREATE INDEX sessions_of_authorizer ON public.sessions USING btree (tenant_id, authorized_by) WHERE (authorized_by IS NOT NULL);
CREATE INDEX sign_in_attempts_started ON public.sign_in_attempts USING btree (started_at);
CREATE INDEX spent_ceremonies_expiring ON public.spent_ceremonies USING btree (expires_at);
CREATE INDEX token_cvcs_expiring ON public.token_cvcs USING btree (tenant_id, expires_at);
CREATE INDEX token_exports_newest ON public.token_exports USING btree (tenant_id, requested_at DESC);
CREATE INDEX tokens_expiring ON public.tokens USING btree (tenant_id, expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX tokens_newest ON public.tokens USING btree (tenant_id, created_at DESC, id DESC) INCLUDE (expires_at);
CREATE INDEX tokens_of_fingerprint ON public.tokens USING btree (tenant_id, fingerprint) WHERE (fingerprint IS NOT NULL);
CREATE INDEX tokens_on_shelf ON public.tokens USING btree (tenant_id, shelf, created_at DESC, id DESC) INCLUDE (expires_at);
CREATE INDEX user_links_of_user ON public.user_links USING btree (user_id);
CREATE INDEX user_passkeys_of_user ON public.user_passkeys USING btree (user_id);
CREATE INDEX user_sessions_created ON public.user_sessions USING btree (created_at);
CREATE INDEX user_sessions_of_user ON public.user_sessions USING btree (user_id);
CREATE UNIQUE INDEX users_email_key ON public.users USING btree (lower(email));
CREATE TRIGGER application_keys_announce AFTER DELETE OR UPDATE OF secret_hash ON public.application_keys FOR EACH ROW EXECUTE FUNCTION public.announce_change('id');
CREATE TRIGGER applications_announce AFTER DELETE OR UPDATE ON public.applications FOR EACH ROW EXECUTE FUNCTION public.announce_change('id');
CREATE TRIGGER members_sign_out AFTER DELETE ON public.members FOR EACH ROW EXECUTE FUNCTION public.sign_member_out();
CREATE TRIGGER sessions_announce AFTER DELETE OR UPDATE ON public.sessions FOR EACH ROW EXECUTE FUNCTION public.announce_change('id');
CREATE TRIGGER tenant_keys_announce AFTER INSERT OR DELETE OR UPDATE ON public.tenant_keys FOR EACH ROW EXECUTE FUNCTION public.announce_change('tenant_id');
CREATE TRIGGER tenants_announce AFTER DELETE OR UPDATE ON public.tenants FOR EACH ROW EXECUTE FUNCTION public.announce_change('id');
ALTER TABLE ONLY public.application_keys
    ADD CONSTRAINT application_keys_application_fkey FOREIGN KEY (tenant_id, application_id) REFERENCES public.applications(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.applications
    ADD CONSTRAINT applications_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_user_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.reencryptions
    ADD CONSTRAINT reencryptions_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_application_fkey FOREIGN KEY (tenant_id, application_id) REFERENCES public.applications(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_authorizer_fkey FOREIGN KEY (tenant_id, authorized_by) REFERENCES public.applications(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.tenant_keys
    ADD CONSTRAINT tenant_keys_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.token_export_approvals
    ADD CONSTRAINT token_export_approvals_export_fkey FOREIGN KEY (tenant_id, export_id) REFERENCES public.token_exports(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.token_exports
    ADD CONSTRAINT token_exports_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.token_imports
    ADD CONSTRAINT token_imports_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.user_identities
    ADD CONSTRAINT user_identities_user_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.user_links
    ADD CONSTRAINT user_links_user_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.user_passkeys
    ADD CONSTRAINT user_passkeys_user_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.user_passwords
    ADD CONSTRAINT user_passwords_user_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.user_sessions
    ADD CONSTRAINT user_sessions_user_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.application_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY application_keys_isolation ON public.application_keys TO strongroom_app USING ((tenant_id = public.current_tenant_id())) WITH CHECK ((tenant_id = public.current_tenant_id()));
CREATE POLICY application_keys_system ON public.application_keys TO strongroom_system USING (true) WITH CHECK (true);
ALTER TABLE public.applications ENABLE ROW LEVEL SECURITY;
CREATE POLICY applications_isolation ON public.applications TO strongroom_app USING ((tenant_id = public.current_tenant_id())) WITH CHECK ((tenant_id = public.current_tenant_id()));
CREATE POLICY applications_portal ON public.applications FOR SELECT TO strongroom_portal USING (true);
CREATE POLICY applications_system ON public.applications FOR SELECT TO strongroom_system USING (true);
ALTER TABLE public.audit_checkpoints ENABLE ROW LEVEL SECURITY;
CREATE POLICY audit_checkpoints_isolation ON public.audit_checkpoints FOR SELECT TO strongroom_app USING ((tenant_id = public.current_tenant_id()));
CREATE POLICY audit_checkpoints_system ON public.audit_checkpoints TO strongroom_sealer USING (true) WITH CHECK (true);
ALTER TABLE public.audit_counts ENABLE ROW LEVEL SECURITY;
CREATE POLICY audit_counts_isolation ON public.audit_counts FOR SELECT TO strongroom_app USING ((tenant_id = public.current_tenant_id()));
CREATE POLICY audit_counts_system ON public.audit_counts TO strongroom_sealer USING (true) WITH CHECK (true);
ALTER TABLE public.audit_records ENABLE ROW LEVEL SECURITY;
CREATE POLICY audit_records_isolation ON public.audit_records TO strongroom_app USING ((tenant_id = public.current_tenant_id())) WITH CHECK (((tenant_id = public.current_tenant_id()) AND (sealing_order = ( SELECT public.audit_order(pg_current_xact_id()) AS audit_order))));
CREATE POLICY audit_records_system ON public.audit_records FOR SELECT TO strongroom_sealer USING (true);
ALTER TABLE public.audit_sealing ENABLE ROW LEVEL SECURITY;
CREATE POLICY audit_sealing_read ON public.audit_sealing FOR SELECT TO strongroom_app USING (true);
CREATE POLICY audit_sealing_system ON public.audit_sealing TO strongroom_sealer USING (true) WITH CHECK (true);
ALTER TABLE public.idempotency_results ENABLE ROW LEVEL SECURITY;
CREATE POLICY idempotency_results_isolation ON public.idempotency_results TO strongroom_app USING ((tenant_id = public.current_tenant_id())) WITH CHECK ((tenant_id = public.current_tenant_id()));
ALTER TABLE public.invitations ENABLE ROW LEVEL SECURITY;
CREATE POLICY invitations_isolation ON public.invitations TO strongroom_app USING ((tenant_id = public.current_tenant_id())) WITH CHECK ((tenant_id = public.current_tenant_id()));
CREATE POLICY invitations_portal ON public.invitations FOR SELECT TO strongroom_portal USING (true);
ALTER TABLE public.members ENABLE ROW LEVEL SECURITY;
CREATE POLICY members_isolation ON public.members TO strongroom_app USING ((tenant_id = public.current_tenant_id())) WITH CHECK ((tenant_id = public.current_tenant_id()));
CREATE POLICY members_portal ON public.members FOR SELECT TO strongroom_portal USING (true);
ALTER TABLE public.proxy_calls ENABLE ROW LEVEL SECURITY;
CREATE POLICY proxy_calls_isolation ON public.proxy_calls TO strongroom_app USING ((tenant_id = public.current_tenant_id())) WITH CHECK ((tenant_id = public.current_tenant_id()));
CREATE POLICY proxy_calls_system ON public.proxy_calls FOR SELECT TO strongroom_system USING (true);
ALTER TABLE public.reencryptions ENABLE ROW LEVEL SECURITY;
CREATE POLICY reencryptions_isolation ON public.reencryptions TO strongroom_app USING ((tenant_id = public.current_tenant_id())) WITH CHECK ((tenant_id = public.current_tenant_id()));
ALTER TABLE public.sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY sessions_isolation ON public.sessions TO strongroom_app USING ((tenant_id = public.current_tenant_id())) WITH CHECK ((tenant_id = public.current_tenant_id()));
CREATE POLICY sessions_system ON public.sessions FOR SELECT TO strongroom_system USING (true);
ALTER TABLE public.sign_in_attempts ENABLE ROW LEVEL SECURITY;
CREATE POLICY sign_in_attempts_portal ON public.sign_in_attempts TO strongroom_portal USING (true) WITH CHECK (true);
ALTER TABLE public.spent_ceremonies ENABLE ROW LEVEL SECURITY;
CREATE POLICY spent_ceremonies_portal ON public.spent_ceremonies TO strongroom_portal USING (true) WITH CHECK (true);
ALTER TABLE public.system_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY system_keys_system ON public.system_keys TO strongroom_system USING (true) WITH CHECK (true);
ALTER TABLE public.tenant_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_keys_isolation ON public.tenant_keys TO strongroom_app USING ((tenant_id = public.current_tenant_id())) WITH CHECK ((tenant_id = public.current_tenant_id()));
CREATE POLICY tenant_keys_system ON public.tenant_keys FOR SELECT TO strongroom_system USING (true);
ALTER TABLE public.tenants ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenants_isolation ON public.tenants TO strongroom_app USING ((id = public.current_tenant_id())) WITH CHECK ((id = public.current_tenant_id()));
CREATE POLICY tenants_portal ON public.tenants FOR SELECT TO strongroom_portal USING (true);
CREATE POLICY tenants_system ON public.tenants FOR SELECT TO strongroom_system USING (true);
ALTER TABLE public.token_counts ENABLE ROW LEVEL SECURITY;
CREATE POLICY token_counts_isolation ON public.token_counts TO strongroom_app USING ((tenant_id = public.current_tenant_id())) WITH CHECK ((tenant_id = public.current_tenant_id()));
ALTER TABLE public.token_cvcs ENABLE ROW LEVEL SECURITY;
CREATE POLICY token_cvcs_isolation ON public.token_cvcs TO strongroom_app USING ((tenant_id = public.current_tenant_id())) WITH CHECK ((tenant_id = public.current_tenant_id()));
ALTER TABLE public.token_export_approvals ENABLE ROW LEVEL SECURITY;
CREATE POLICY token_export_approvals_isolation ON public.token_export_approvals TO strongroom_app USING ((tenant_id = public.current_tenant_id())) WITH CHECK ((tenant_id = public.current_tenant_id()));
ALTER TABLE public.token_exports ENABLE ROW LEVEL SECURITY;
CREATE POLICY token_exports_isolation ON public.token_exports TO strongroom_app USING ((tenant_id = public.current_tenant_id())) WITH CHECK ((tenant_id = public.current_tenant_id()));
ALTER TABLE public.token_fingerprints ENABLE ROW LEVEL SECURITY;
CREATE POLICY token_fingerprints_isolation ON public.token_fingerprints TO strongroom_app USING ((tenant_id = public.current_tenant_id())) WITH CHECK ((tenant_id = public.current_tenant_id()));
ALTER TABLE public.token_imports ENABLE ROW LEVEL SECURITY;
CREATE POLICY token_imports_isolation ON public.token_imports TO strongroom_app USING ((tenant_id = public.current_tenant_id())) WITH CHECK ((tenant_id = public.current_tenant_id()));
ALTER TABLE public.token_terms ENABLE ROW LEVEL SECURITY;
CREATE POLICY token_terms_isolation ON public.token_terms TO strongroom_app USING ((tenant_id = public.current_tenant_id())) WITH CHECK ((tenant_id = public.current_tenant_id()));
ALTER TABLE public.tokens ENABLE ROW LEVEL SECURITY;
CREATE POLICY tokens_isolation ON public.tokens TO strongroom_app USING ((tenant_id = public.current_tenant_id())) WITH CHECK ((tenant_id = public.current_tenant_id()));
ALTER TABLE public.user_identities ENABLE ROW LEVEL SECURITY;
CREATE POLICY user_identities_portal ON public.user_identities TO strongroom_portal USING (true) WITH CHECK (true);
ALTER TABLE public.user_links ENABLE ROW LEVEL SECURITY;
CREATE POLICY user_links_portal ON public.user_links TO strongroom_portal USING (true) WITH CHECK (true);
ALTER TABLE public.user_passkeys ENABLE ROW LEVEL SECURITY;
CREATE POLICY user_passkeys_portal ON public.user_passkeys TO strongroom_portal USING (true) WITH CHECK (true);
ALTER TABLE public.user_passwords ENABLE ROW LEVEL SECURITY;
CREATE POLICY user_passwords_portal ON public.user_passwords TO strongroom_portal USING (true) WITH CHECK (true);
ALTER TABLE public.user_sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY user_sessions_portal ON public.user_sessions TO strongroom_portal USING (true) WITH CHECK (true);
CREATE POLICY user_sessions_start ON public.user_sessions FOR INSERT TO strongroom_app WITH CHECK ((EXISTS ( SELECT
   FROM public.members
  WHERE ((members.user_id = user_sessions.user_id) AND (members.tenant_id = public.current_tenant_id())))));
ALTER TABLE public.users ENABLE ROW LEVEL SECURITY;
CREATE POLICY users_join ON public.users FOR INSERT TO strongroom_app WITH CHECK (true);
CREATE POLICY users_of_tenant ON public.users FOR SELECT TO strongroom_app USING ((EXISTS ( SELECT
   FROM public.members
  WHERE ((members.user_id = users.id) AND (members.tenant_id = public.current_tenant_id())))));
CREATE POLICY users_portal ON public.users TO strongroom_portal USING (true) WITH CHECK (true);
GRANT USAGE ON SCHEMA public TO strongroom_app;
GRANT USAGE ON SCHEMA public TO strongroom_system;
GRANT USAGE ON SCHEMA public TO strongroom_sealer;
GRANT USAGE ON SCHEMA public TO strongroom_portal;
GRANT SELECT,UPDATE ON SEQUENCE public.audit_epochs TO strongroom_sealer;
GRANT SELECT ON SEQUENCE public.audit_epochs TO strongroom_app;
REVOKE ALL ON FUNCTION public.drop_audit_partition(month date) FROM PUBLIC;
GRANT ALL ON FUNCTION public.drop_audit_partition(month date) TO strongroom_sealer;
REVOKE ALL ON FUNCTION public.enqueue_job(task text, payload json, job_key text, delay_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.enqueue_job(task text, payload json, job_key text, delay_seconds integer) TO strongroom_app;
REVOKE ALL ON FUNCTION public.ensure_audit_order_grows() FROM PUBLIC;
GRANT ALL ON FUNCTION public.ensure_audit_order_grows() TO strongroom_system;
REVOKE ALL ON FUNCTION public.ensure_audit_partitions(months_ahead integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ensure_audit_partitions(months_ahead integer) TO strongroom_app;
GRANT ALL ON FUNCTION public.ensure_audit_partitions(months_ahead integer) TO strongroom_system;
REVOKE ALL ON FUNCTION public.join_user(address text, new_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.join_user(address text, new_id uuid) TO strongroom_app;
REVOKE ALL ON FUNCTION public.sign_member_out() FROM PUBLIC;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.application_keys TO strongroom_app;
GRANT SELECT ON TABLE public.application_keys TO strongroom_system;
GRANT UPDATE(last_used_at) ON TABLE public.application_keys TO strongroom_system;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.applications TO strongroom_app;
GRANT SELECT ON TABLE public.applications TO strongroom_system;
GRANT SELECT(tenant_id) ON TABLE public.applications TO strongroom_portal;
GRANT SELECT(id) ON TABLE public.applications TO strongroom_portal;
GRANT SELECT(name) ON TABLE public.applications TO strongroom_portal;
GRANT SELECT ON TABLE public.audit_checkpoints TO strongroom_app;
GRANT SELECT,INSERT ON TABLE public.audit_checkpoints TO strongroom_sealer;
GRANT SELECT ON TABLE public.audit_counts TO strongroom_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.audit_counts TO strongroom_sealer;
GRANT SELECT,INSERT ON TABLE public.audit_records TO strongroom_app;
GRANT SELECT ON TABLE public.audit_records TO strongroom_sealer;
GRANT SELECT ON TABLE public.audit_sealing TO strongroom_app;
GRANT SELECT,UPDATE ON TABLE public.audit_sealing TO strongroom_sealer;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.idempotency_results TO strongroom_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.invitations TO strongroom_app;
GRANT SELECT ON TABLE public.invitations TO strongroom_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.members TO strongroom_app;
GRANT SELECT ON TABLE public.members TO strongroom_portal;
GRANT SELECT,INSERT,DELETE ON TABLE public.proxy_calls TO strongroom_app;
GRANT SELECT(tenant_id) ON TABLE public.proxy_calls TO strongroom_system;
GRANT SELECT(id) ON TABLE public.proxy_calls TO strongroom_system;
GRANT SELECT(started_at) ON TABLE public.proxy_calls TO strongroom_system;
GRANT SELECT,INSERT,UPDATE ON TABLE public.reencryptions TO strongroom_app;
GRANT SELECT ON TABLE public.schema_migrations TO strongroom_app;
GRANT SELECT ON TABLE public.schema_migrations TO strongroom_system;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sessions TO strongroom_app;
GRANT SELECT ON TABLE public.sessions TO strongroom_system;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sign_in_attempts TO strongroom_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.spent_ceremonies TO strongroom_portal;
GRANT SELECT,INSERT ON TABLE public.system_keys TO strongroom_system;
GRANT UPDATE(root_key) ON TABLE public.system_keys TO strongroom_system;
GRANT UPDATE(wrapped) ON TABLE public.system_keys TO strongroom_system;
GRANT SELECT,INSERT,DELETE ON TABLE public.tenant_keys TO strongroom_app;
GRANT SELECT ON TABLE public.tenant_keys TO strongroom_system;
GRANT UPDATE(root_key) ON TABLE public.tenant_keys TO strongroom_app;
GRANT UPDATE(wrapped) ON TABLE public.tenant_keys TO strongroom_app;
GRANT UPDATE(closed_at) ON TABLE public.tenant_keys TO strongroom_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.tenants TO strongroom_app;
GRANT SELECT ON TABLE public.tenants TO strongroom_system;
GRANT SELECT(id) ON TABLE public.tenants TO strongroom_portal;
GRANT SELECT(name) ON TABLE public.tenants TO strongroom_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.token_counts TO strongroom_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.token_cvcs TO strongroom_app;
GRANT SELECT,INSERT ON TABLE public.token_export_approvals TO strongroom_app;
GRANT SELECT,INSERT ON TABLE public.token_exports TO strongroom_app;
GRANT UPDATE(refused_at) ON TABLE public.token_exports TO strongroom_app;
GRANT UPDATE(started_at) ON TABLE public.token_exports TO strongroom_app;
GRANT UPDATE(finished_at) ON TABLE public.token_exports TO strongroom_app;
GRANT UPDATE(tokens) ON TABLE public.token_exports TO strongroom_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.token_fingerprints TO strongroom_app;
GRANT SELECT,INSERT,UPDATE ON TABLE public.token_imports TO strongroom_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.token_terms TO strongroom_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.tokens TO strongroom_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.user_identities TO strongroom_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.user_links TO strongroom_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.user_passkeys TO strongroom_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.user_passwords TO strongroom_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.user_sessions TO strongroom_portal;
GRANT INSERT ON TABLE public.user_sessions TO strongroom_app;
GRANT SELECT,INSERT ON TABLE public.users TO strongroom_app;
GRANT SELECT,INSERT,UPDATE ON TABLE public.users TO strongroom_portal;
INSERT INTO public.schema_migrations VALUES (1, 'roles', 'd313e3e85eabe95c48151e53e739801a1c798f45037ad7df4eea6b384add24bd', false, '2026-11-15 17:26:09.816633+00');
INSERT INTO public.schema_migrations VALUES (2, 'tenants', 'fbc47d4bdb3b9b25a64fa75957ebfa25ade17757be343eb94d6e7bb2da49fc6a', false, '2026-11-15 17:26:09.827946+00');
INSERT INTO public.schema_migrations VALUES (3, 'keys', 'e1828d513f009f9ee8635823ff92881e27ac4338dfb5401edb8c4e823e6e2998', false, '2026-11-15 17:26:09.906721+00');
INSERT INTO public.schema_migrations VALUES (4, 'applications', 'ffd7a1a09367d25ce9fae2207282d3d014d0f98978ca61f1e79ec86dbab17e30', false, '2026-11-15 17:26:09.9463+00');
INSERT INTO public.schema_migrations VALUES (5, 'tokens', '78edc2c7e7f931d55363128379fe48bd66fd4e1768c806aeace6b8689be200a0', false, '2026-11-15 17:26:09.99841+00');
INSERT INTO public.schema_migrations VALUES (6, 'audit', '9ceab6d211f64bc976df8f4fd02e94b6b01c3a1e3e20608b7bb04e9430a302d5', false, '2026-11-15 17:26:10.118615+00');
INSERT INTO public.schema_migrations VALUES (7, 'jobs', 'cbb7ff5982dde3d4d1aadae0e0989217db6a8a2ab957413ce13f70836ff16cff', false, '2026-11-15 17:26:10.211489+00');
INSERT INTO public.schema_migrations VALUES (8, 'sessions', '36e72f2688574f856db82445a8a9991a039d6edcafb20052ed5632db22aed247', false, '2026-11-15 17:26:10.215005+00');
INSERT INTO public.schema_migrations VALUES (9, 'audit_sealing', '3ac4747824450e9b7dbacf51cac851b29ee7707b73f16b9ea13d1626dd530c91', true, '2026-11-15 17:26:10.312381+00');
INSERT INTO public.schema_migrations VALUES (10, 'idempotency', '49dba8ebf91e391fa83dd115beae08181170230d6c1281ac600b2ba5824e74e7', false, '2026-11-15 17:26:10.511124+00');
INSERT INTO public.schema_migrations VALUES (11, 'proxy', '94e249ba871dcae33487ccea483eeff20c59e93055c74dc2e82a0183259e18c6', false, '2026-11-15 17:26:10.557205+00');
INSERT INTO public.schema_migrations VALUES (12, 'members', 'fbbac5cf406d04233cfbddaab22d2a5685b1570642db724bf04de32dc53409d4', false, '2026-11-15 17:26:10.574682+00');
INSERT INTO public.schema_migrations VALUES (13, 'key_rotation', 'a3072175ff46a63009d769fcc1b732ce1aaed1b34a623c0d79fd626a81e37369', false, '2026-11-15 17:26:10.823531+00');
INSERT INTO public.schema_migrations VALUES (14, 'moving', '0142d2de81a6ed2cf4999ef5ef306b93231e143ac536c8b381bc67135ca528d1', false, '2026-11-15 17:26:10.864274+00');
INSERT INTO public.schema_migrations VALUES (15, 'short_records', 'cc7354a06583ebe39fbc014df507e2eb3e254b3f4790125cefb6dd721ebaab3a', false, '2026-11-15 17:26:11.029033+00');
