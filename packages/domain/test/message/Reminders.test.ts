import { assert, describe, it } from "@effect/vitest"
import { isForgotten } from "@wcs/domain/message/Reminders"
import type { Stored } from "@wcs/domain/resource/Resource"
import type { InvitationFields } from "@wcs/domain/screening/Invitation"

const zone = "Australia/Perth"

/** A request with its last day on 10 February that was created on the 1st, local time. */
const request = (fields: Partial<InvitationFields>): Stored<InvitationFields> => ({
  ...{ id: "cap_1", version: 1, updatedAt: 0, deletedAt: null },
  createdAt: Date.parse("2026-02-01T00:00:00.000+08:00"),
  fields: { status: "SENT", expiryDays: 9, expiryDate: "2026-02-10", ...fields }
})

const forgotten = (fields: Partial<InvitationFields>, days = 3) => isForgotten(request(fields), days, zone)

describe("the reminder that the service sends by itself", () => {
  it("is for an open request whose person was told nothing in the days before its end, in the tenant's time zone", () => {
    assert.isTrue(forgotten({}))
    assert.isTrue(forgotten({ status: "INITIATED" }))
    assert.isTrue(forgotten({ sentAt: "2026-02-06T15:59:59.999Z", remindedAt: "2026-02-05T00:00:00.000Z" }))
    assert.isFalse(forgotten({ sentAt: "2026-02-06T16:00:00.000Z" }))
    assert.isFalse(forgotten({ remindedAt: "2026-02-06T16:00:00.000Z" }))
    assert.isFalse(forgotten({}, 9))
  })

  it("is for no request that is over", () => {
    for (const status of ["COMPLETED", "CANCELLED"] as const) assert.isFalse(forgotten({ status }))
    const { expiryDate: _, ...over } = request({}).fields
    assert.isFalse(isForgotten({ ...request({}), fields: { ...over, status: "SENT" } }, 3, zone))
  })
})
