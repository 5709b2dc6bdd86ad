import { assert, describe, it } from "@effect/vitest"
import { OwnCard, refusedAsOwn } from "@wcs/domain/verification/OwnCard"
import { storedWith } from "../credential/CredentialFixtures.ts"

const ann = "wkr_0123456789abcDEF"
const bob = "wkr_0123456789abcXYZ"
const applicant = "app_0123456789abcDEF"
const actor = { account: "urn:wcs:account:acc_1", bearer: { kind: "session", id: "ses_1" }, requestId: "req" } as const

describe("R13, threat 59: nobody verifies themself", () => {
  const rows: ReadonlyArray<readonly [as: string | null, worker: string | null, isRefused: boolean]> = [
    [ann, ann, true],
    [bob, ann, false],
    [null, ann, false],
    [ann, null, false],
    [null, null, false]
  ]
  it.each(rows)(
    "the user is the worker %s, %s holds the credential, the call is refused: %s",
    (as, worker, expected) => {
      const card = storedWith({ owners: { worker, applicant } })
      const refused = refusedAsOwn({ workerId: as }, card, "verify", { actor, auditId: "aud_1", now: 7 })
      assert.strictEqual(refused !== undefined, expected)
    }
  )

  it.each(["verify", "review", "notice", "decide"] as const)(
    "a refused %s leaves an audit entry, and nothing else",
    (action) => {
      const card = storedWith({ owners: { worker: ann, applicant: null } })
      assert.deepStrictEqual(refusedAsOwn({ workerId: ann }, card, action, { actor, auditId: "aud_1", now: 7 }), {
        next: undefined,
        records: {
          audit: [
            {
              id: "aud_1",
              ...actor,
              operation: "UPDATE",
              action: `${action} refused`,
              entityType: "credential",
              entityId: card.id,
              at: 7
            }
          ],
          events: []
        },
        refusal: new OwnCard({ credentialId: card.id })
      })
    }
  )
})
