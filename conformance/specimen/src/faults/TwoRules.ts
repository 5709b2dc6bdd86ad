import { type Fault, row } from "./Rows.ts"

const link = "POST /credentials/{id}/link"
const transfer = "POST /credentials/{id}/transfer"

/** Faults that break a second rule, which no fault breaks alone. */
export const twoRuleFaults: ReadonlyArray<Fault> = [
  ...row(["TRN-07 not-json", "EVT-14 not-json"], "the body is no JSON", { endpoint: "POST /webhooks" }),
  ...row(["ENV-02 wrong-type", "OWN-05 missing"], "error is a text", { endpoint: link, status: "409" }),
  ...row(["ENV-02 missing", "OWN-09 wrong-value"], "no message", { endpoint: transfer, status: "409" }),
  ...row(["OWN-01 wrong-value", "OWN-19 wrong-value"], "a link is not stored", { endpoint: link, slot: "worker" }),
  ...row(["WRK-07 status", "WRK-16 status"], "an empty list is 404", { endpoint: "GET /workers" })
]
