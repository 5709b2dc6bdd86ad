import { Caller } from "@wcs/domain/access/Caller"
import { privilegesOf } from "@wcs/domain/access/Privilege"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { Layer } from "effect"

export const caller = Caller.of({
  tenantId: "tnt_1",
  timeZone: "Australia/Sydney",
  account: "urn:wcs:account:acc_1",
  privileges: privilegesOf("Super Admin"),
  bearer: { kind: "personal", id: "pat_1" },
  rateLimitKey: "acc_1",
  rateLimit: null,
  workerId: null
})

/** A call by a caller with every privilege. */
export const calling = Layer.merge(
  Layer.succeed(Caller, caller),
  Layer.succeed(RequestId, "01KCZ00000000000000000000Y")
)
