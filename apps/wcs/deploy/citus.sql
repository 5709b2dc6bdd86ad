-- Distributes the tables of tenants over the nodes of a Citus cluster, all rows of a tenant on one node. Run it on the
-- coordinator after each `wcs migrate`, while no server or worker runs: tables that are distributed already are left out.
-- Read DATABASE.md first.
--
-- All other tables stay on the coordinator: tenant, tenant_host, signing_key, rate_window, lease, lease_holder, migration, tenant_place, tenant_fence.

-- Triggers write each version of a row into resource_version, marks into compliance_mark, and tasks, on the same node.
-- Migrations create triggers, too.
SELECT set_config('citus.enable_unsafe_triggers', 'on', false);
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET citus.enable_unsafe_triggers TO on', current_database()); END $$;

SELECT create_distributed_table('account', 'tenant_id', colocate_with => 'none')
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'account'::regclass);

SELECT create_distributed_table(name, 'tenant_id', colocate_with => 'account')
FROM unnest(ARRAY[
  'access_epoch', 'answer', 'answer_access', 'answer_link', 'applicant', 'audit_event', 'audit_seal', 'ban', 'capturerequest', 'caretaker', 'compliance', 'compliance_failure',
  'compliance_mark', 'compliancecheck', 'credential', 'credentialcheck', 'delivery', 'delivery_exchange', 'distinct_worker', 'document', 'document_piece', 'erasure', 'event', 'exemption',
  'history_start', 'identityprovider', 'import', 'import_row', 'legacy_token', 'message', 'message_declined',
  'message_queue', 'message_tenant', 'note', 'note_mention', 'oauth_client', 'personal_token', 'receiver', 'record_seal', 'red_worker', 'resource_version', 'scan', 'schedule',
  'screeningpackage', 'search_word', 'second_factor', 'session', 'sso_subject', 'sso_ticket', 'subscription', 'task', 'unit',
  'verification',
  'verification_run', 'verificationsource', 'warned_tenant', 'webhook', 'worker', 'worker_merge'
]::regclass[]) AS name
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = name);

-- Workers find due runs of all tenants on each node by their time.
CREATE INDEX IF NOT EXISTS verification_run_due ON verification_run (due_at) WHERE due_at IS NOT NULL;
