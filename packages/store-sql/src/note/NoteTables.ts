import type { Migration } from "../engine/Migration.ts"

/**
 * Notes about records, with the users whom they mention, and the users who look after people. `person_id` is '' for a note
 * about a task without a person.
 */
export const notes: Migration = {
  id: 47,
  name: "notes",
  statements: ({ byTenant, integer, tableEnd, tenantPosition, text }) => [
    `CREATE TABLE note (
      ${tenantPosition},
      id ${text} NOT NULL,
      about_id ${text} NOT NULL,
      person_id ${text} NOT NULL,
      account ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      text ${text} NOT NULL,
      mentions ${text} NOT NULL,
      UNIQUE (tenant_id, id)
    )${tableEnd}`,
    ...byTenant("note"),
    "CREATE INDEX note_of_about_id ON note (tenant_id, about_id, position)",
    "CREATE INDEX note_of_person_id ON note (tenant_id, person_id, position) WHERE person_id <> ''",
    `CREATE TABLE note_mention (
      tenant_id ${text} NOT NULL,
      account_id ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      note_id ${text} NOT NULL,
      PRIMARY KEY (tenant_id, note_id, account_id)
    )${tableEnd}`,
    "CREATE INDEX note_mention_of_account_id ON note_mention (tenant_id, account_id, created_at, note_id)",
    `CREATE TABLE caretaker (
      tenant_id ${text} NOT NULL,
      person_id ${text} NOT NULL,
      account_id ${text} NOT NULL,
      PRIMARY KEY (tenant_id, person_id)
    )${tableEnd}`
  ]
}
