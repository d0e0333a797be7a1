"""Every unique constraint means something to whoever runs into it, or nobody outside can run into it."""

from perdure.store.errors import CONFLICTS
from perdure.store.pool import Pool

# Ids that we make, digests of secrets, and rows that are put in place of an older one.
OURS = {
    "audit_pkey",
    "background_responses_pkey",
    "budget_slices_pkey",
    "budgets_pkey",
    "chat_cards_pkey",
    "chat_links_chat_id_key",
    "chat_links_pkey",
    "chat_shares_groups",
    "chat_shares_users",
    "chats_pkey",
    "debug_runs_pkey",
    "departures_pkey",
    "deployment_secrets_pkey",
    "face_notes_pkey",
    "file_links_pkey",
    "files_pkey",
    "group_members_pkey",
    "groups_pkey",
    "hook_deliveries_pkey",
    "hooks_pkey",
    "idempotency_keys_pkey",
    "identities_pkey",
    "inbox_once",
    "inbox_pkey",
    "journal_pkey",
    "login_links_pkey",
    "login_services_pkey",
    "login_services_slug_key",
    "mcp_grants_pkey",
    "mcp_servers_pkey",
    "mcp_sign_ins_pkey",
    "messages_pkey",
    "network_rules_pkey",
    "network_secrets_pkey",
    "migrations_pkey",
    "organisations_pkey",
    "outbox_pkey",
    "provider_keys_deployment",
    "provider_keys_personal",
    "provider_keys_pkey",
    "providers_pkey",
    "push_subscriptions_pkey",
    "push_subscriptions_user_id_endpoint_key",
    "queued_messages_pkey",
    "read_markers_pkey",
    "replicas_pkey",
    "schedule_runs_pkey",
    "schedule_runs_schedule_id_due_at_key",
    "schedules_pkey",
    "search_documents_pkey",
    "search_progress_pkey",
    "segments_pkey",
    "sessions_hash_key",
    "sessions_pkey",
    "settings_pkey",
    "settled_pkey",
    "skills_pkey",
    "templates_pkey",
    "tokens_hash_key",
    "tokens_pkey",
    "turn_traces_pkey",
    "user_settings_pkey",
    "users_pkey",
    "webhooks_pkey",
    "workspace_contexts_pkey",
    "workspaces_pkey",
}


async def test_every_unique_constraint_names_a_field_or_is_ours(pool: Pool) -> None:
    found = await pool.fetch(
        "SELECT i.relname FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid "
        "WHERE x.indisunique AND i.relnamespace = 'public'::regnamespace"
    )
    assert {row["relname"] for row in found} == OURS | set(CONFLICTS)
    assert OURS.isdisjoint(CONFLICTS)
