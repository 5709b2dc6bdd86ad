import { assert, describe, it } from "@effect/vitest"
import { isAnswered, isForgotten } from "@wcs/domain/message/Reminders"
import type { Stored } from "@wcs/domain/resource/Resource"
import type { AnswerFields } from "@wcs/domain/screening/Answer"
import type { InvitationFields } from "@wcs/domain/screening/Invitation"

const zone = "Australia/Perth"

/** A request with its last day on 10 February that was created on the 1st, local time. */
const request = (fields: Partial<InvitationFields>): Stored<InvitationFields> => ({
  ...{ id: "cap_1", version: 1, updatedAt: 0, deletedAt: null },
  createdAt: Date.parse("2026-02-01T00:00:00.000+08:00"),
  fields: { status: "SENT", expiryDays: 9, expiryDate: "2026-02-10", ...fields }
})

const forgotten = (fields: Partial<InvitationFields>, days = 3, today = "2026-02-07") =>
  isForgotten(request(fields), days, today, zone)

const answer = (state: AnswerFields["state"]) => ({ fields: { state } }) as Stored<AnswerFields>

describe("the reminder that the service sends by itself", () => {
  it("is for an open request whose person was told nothing in the days before its end, in the tenant's time zone", () => {
    assert.isTrue(forgotten({}))
    assert.isTrue(forgotten({ status: "INITIATED" }))
    assert.isTrue(forgotten({ sentAt: "2026-02-06T15:59:59.999Z", remindedAt: "2026-02-05T00:00:00.000Z" }))
    assert.isFalse(forgotten({ sentAt: "2026-02-06T16:00:00.000Z" }))
    assert.isFalse(forgotten({ remindedAt: "2026-02-06T16:00:00.000Z" }))
    assert.isFalse(forgotten({}, 3, "2026-02-06"))
    assert.isFalse(forgotten({}, 3, "2026-02-11"))
  })

  it("is not in the first half of the days of a request, however many days before its end are chosen", () => {
    assert.isFalse(forgotten({}, 30, "2026-02-05"))
    assert.isTrue(forgotten({}, 30, "2026-02-06"))
  })

  it("is for no request that is over, nor for one whose answer waits for an officer", () => {
    for (const status of ["COMPLETED", "CANCELLED"] as const) assert.isFalse(forgotten({ status }))
    const { expiryDate: _, ...over } = request({}).fields
    assert.isFalse(isForgotten({ ...request({}), fields: { ...over, status: "SENT" } }, 3, "2026-02-07", zone))
    assert.deepStrictEqual(
      (["WAITING", "APPROVING", "APPROVED", "REJECTED"] as const).filter((state) => isAnswered(answer(state))),
      ["WAITING", "APPROVING"]
    )
    assert.isFalse(isAnswered(undefined))
  })
})
