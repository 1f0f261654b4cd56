-- Runs once, when the database is created: an owner for `migrate` and `work`, and a login without rights of its own for `serve`,
-- which cannot forge the seals of the audit log. docs/operate/install.md, "Database roles", says what each role sees.
\set owner_password `sed -E 's,^[^:]+://[^:]+:([^@]+)@.*$,\1,' /run/secrets/database_owner_url`
\set login_password `sed -E 's,^[^:]+://[^:]+:([^@]+)@.*$,\1,' /run/secrets/database_url`

-- CREATEDB is for `strongroom backup verify`, which restores into a scratch database.
create role strongroom_owner login createrole createdb password :'owner_password';
alter database strongroom owner to strongroom_owner;

-- As the owner, who may then grant them. `migrate` creates those that are missing and gives each its rights.
set role strongroom_owner;
create role strongroom_app nologin;
create role strongroom_system nologin;
create role strongroom_portal nologin;
create role strongroom_login login password :'login_password';
grant strongroom_app, strongroom_system, strongroom_portal to strongroom_login;
