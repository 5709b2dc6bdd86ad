import { at, each, endpoints, type Fault, row, rows } from "./Rows.ts"

const all = endpoints()
const answering = endpoints(({ method }) => method !== "DELETE")

/** Faults of RID and TRN in what is made of a request, beside those in the answers. */
export const requestFaults: ReadonlyArray<Fault> = [
  ...rows("RID-05 wrong-value", "an echo is cut", at(all, 3, 6, { form: "ULID" })),
  ...row("RID-05 wrong-value", "an echo is cut", { form: "ULID", endpoint: "GET /workers" }),
  ...rows(
    "RID-06 status",
    "a malformed request id is refused",
    each("form", ["misplaced hyphens", "26 wrong letters", "25 characters"])
  ),
  ...rows(
    "TRN-02 disclosed",
    "plain HTTP is redirected with the token",
    each("endpoint", ["GET /workers", "POST /workers"])
  ),
  ...row("TRN-02 disclosed", "plain HTTP is refused with the data", { endpoint: "GET /workers" }),
  ...row("TRN-06 status", "another tenant's token is accepted", {
    endpoint: "GET /workers",
    host: "second",
    kind: "oauth"
  }),
  ...rows("TRN-09 wrong-value", "the content type is not JSON", at(answering, 3, 2)),
  ...rows("TRN-09 missing", "no content type", at(answering, 2, 6))
]
