import { assert, describe, it } from "@effect/vitest"
import type { MessageDraft, PersonalKind } from "@wcs/domain/event/MessageDraft"
import { defaultSettings } from "@wcs/domain/message/MessageSettings"
import { placedAll } from "@wcs/domain/message/Telling"

const settings = { ...defaultSettings, enabled: true, tellsOfCards: true, tellsOfRequests: true, timeOfDay: "07:30" }
const tenant = { settings, timeZone: "Australia/Perth" }

/** When a message is due whose draft was made at a local time. */
const dueAt = (kind: PersonalKind, local: string) => {
  const about = { type: "credential", id: "crd_1" } as const
  const at = Date.parse(`2026-02-03T${local}:00+08:00`)
  const draft: MessageDraft = { id: "msg_1", kind, recipient: { type: "worker", id: "wkr_1" }, about, cause: "a", at }
  return placedAll([draft], tenant, new Map()).map((placed) => ((placed.dueAt ?? at) - at) / 60_000)
}

describe("a message to a person", () => {
  it("about a card waits for the tenant's time of day, and one about a request does not", () => {
    for (const kind of ["CARD_EXPIRING", "CARD_EXPIRED"] as const) {
      assert.deepStrictEqual([dueAt(kind, "00:15"), dueAt(kind, "08:00")], [[435], [0]])
    }
    for (const kind of ["REQUEST", "REQUEST_CODE"] as const) assert.deepStrictEqual(dueAt(kind, "00:15"), [0])
  })
})
