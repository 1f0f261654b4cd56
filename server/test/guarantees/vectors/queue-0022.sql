-- A queue of graphile-worker 0.18.0 as pg_dump wrote it: the two tables that migration 26 reads. It contains jobs that are
-- waiting, are scheduled for later, are running, were replaced while running, and were created by the schedule.
CREATE SCHEMA graphile_worker;
CREATE TABLE graphile_worker._private_jobs (
    id bigint NOT NULL,
    job_queue_id integer,
    task_id integer NOT NULL,
    payload json DEFAULT '{}'::json NOT NULL,
    priority smallint DEFAULT 0 NOT NULL,
    run_at timestamp with time zone DEFAULT now() NOT NULL,
    attempts smallint DEFAULT 0 NOT NULL,
    max_attempts smallint DEFAULT 25 NOT NULL,
    last_error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    key text,
    locked_at timestamp with time zone,
    locked_by text,
    revision integer DEFAULT 0 NOT NULL,
    flags jsonb,
    is_available boolean GENERATED ALWAYS AS (((locked_at IS NULL) AND (attempts < max_attempts))) STORED NOT NULL,
    CONSTRAINT jobs_key_check CHECK (((length(key) > 0) AND (length(key) <= 512))),
    CONSTRAINT jobs_max_attempts_check CHECK ((max_attempts >= 1))
);
CREATE TABLE graphile_worker._private_tasks (
    id integer NOT NULL,
    identifier text NOT NULL,
    CONSTRAINT tasks_identifier_check CHECK ((length(identifier) <= 128))
);
ALTER TABLE graphile_worker._private_jobs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME graphile_worker.jobs_id_seq1
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE graphile_worker._private_tasks ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME graphile_worker.tasks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
INSERT INTO graphile_worker._private_jobs OVERRIDING SYSTEM VALUE VALUES (1, NULL, 1, '{"tenant_id":"3f0b6e0a-6b0e-4a55-9d3e-0d9a2a4d6c01","invitation_id":"7a0d2b54-55b6-4a0b-8f55-1c8d4f0e9a02","link_number":2}', 0, '2025-11-15 19:58:13.235896+00', 0, 25, NULL, '2025-11-15 19:58:13.235896+00', '2025-11-15 19:58:13.235896+00', 'mail-invitation:7a0d2b54-55b6-4a0b-8f55-1c8d4f0e9a02', NULL, NULL, 0, NULL, DEFAULT);
INSERT INTO graphile_worker._private_jobs OVERRIDING SYSTEM VALUE VALUES (2, NULL, 2, '{"tenant_id":"3f0b6e0a-6b0e-4a55-9d3e-0d9a2a4d6c01"}', 0, '2025-11-15 20:58:13.258329+00', 0, 25, NULL, '2025-11-15 19:58:13.258329+00', '2025-11-15 19:58:13.258329+00', 'purge-tenant:3f0b6e0a-6b0e-4a55-9d3e-0d9a2a4d6c01', NULL, NULL, 0, NULL, DEFAULT);
INSERT INTO graphile_worker._private_jobs OVERRIDING SYSTEM VALUE VALUES (3, NULL, 2, '{"tenant_id":"5c1d7c3e-90a1-4f3b-8e0a-2b7d9c5e4f03"}', 0, '2025-11-15 19:58:13.260457+00', 3, 25, NULL, '2025-11-15 19:58:13.260457+00', '2025-11-15 19:58:13.260457+00', 'purge-tenant:5c1d7c3e-90a1-4f3b-8e0a-2b7d9c5e4f03', '2025-11-15 19:58:13.263148+00', 'worker-1', 0, NULL, DEFAULT);
INSERT INTO graphile_worker._private_jobs OVERRIDING SYSTEM VALUE VALUES (4, NULL, 1, '{"tenant_id":"3f0b6e0a-6b0e-4a55-9d3e-0d9a2a4d6c01","invitation_id":"9b1e3c65-66c7-4b1c-9a66-2d9e5a1f0b04","link_number":1}', 0, '2025-11-15 19:58:13.2641+00', 25, 25, NULL, '2025-11-15 19:58:13.2641+00', '2025-11-15 19:58:13.269196+00', NULL, '2025-11-15 19:58:13.26784+00', 'worker-1', 0, NULL, DEFAULT);
INSERT INTO graphile_worker._private_jobs OVERRIDING SYSTEM VALUE VALUES (5, NULL, 1, '{"tenant_id":"3f0b6e0a-6b0e-4a55-9d3e-0d9a2a4d6c01","invitation_id":"9b1e3c65-66c7-4b1c-9a66-2d9e5a1f0b04","link_number":2}', 0, '2025-11-15 19:58:13.269196+00', 0, 25, NULL, '2025-11-15 19:58:13.269196+00', '2025-11-15 19:58:13.269196+00', 'mail-invitation:9b1e3c65-66c7-4b1c-9a66-2d9e5a1f0b04', NULL, NULL, 0, NULL, DEFAULT);
INSERT INTO graphile_worker._private_jobs OVERRIDING SYSTEM VALUE VALUES (6, NULL, 3, '{}', 0, '2025-11-15 19:58:13.271545+00', 0, 25, NULL, '2025-11-15 19:58:13.271545+00', '2025-11-15 19:58:13.271545+00', NULL, NULL, NULL, 0, NULL, DEFAULT);
INSERT INTO graphile_worker._private_tasks OVERRIDING SYSTEM VALUE VALUES (1, 'mail-invitation');
INSERT INTO graphile_worker._private_tasks OVERRIDING SYSTEM VALUE VALUES (2, 'purge-tenant');
INSERT INTO graphile_worker._private_tasks OVERRIDING SYSTEM VALUE VALUES (3, 'sweep-tokens');
ALTER TABLE ONLY graphile_worker._private_jobs
    ADD CONSTRAINT jobs_key_key1 UNIQUE (key);
ALTER TABLE ONLY graphile_worker._private_jobs
    ADD CONSTRAINT jobs_pkey1 PRIMARY KEY (id);
ALTER TABLE ONLY graphile_worker._private_tasks
    ADD CONSTRAINT tasks_identifier_key UNIQUE (identifier);
ALTER TABLE ONLY graphile_worker._private_tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (id);
CREATE INDEX jobs_main_index ON graphile_worker._private_jobs USING btree (priority, run_at) INCLUDE (id, task_id, job_queue_id) WHERE (is_available = true);
CREATE INDEX jobs_no_queue_index ON graphile_worker._private_jobs USING btree (priority, run_at) INCLUDE (id, task_id) WHERE ((is_available = true) AND (job_queue_id IS NULL));
ALTER TABLE graphile_worker._private_jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE graphile_worker._private_tasks ENABLE ROW LEVEL SECURITY;
