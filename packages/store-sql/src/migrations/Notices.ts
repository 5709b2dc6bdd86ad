import type { Migration } from "../engine/Migration.ts"

/** The notice of a register that a person recorded, in place of a question. */
export const notices: Migration = {
  id: 15,
  name: "notices",
  statements: ({ text }) => [
    `ALTER TABLE verification ADD COLUMN notice_issued_on ${text}`,
    `ALTER TABLE verification ADD COLUMN notice_reference ${text}`
  ]
}
