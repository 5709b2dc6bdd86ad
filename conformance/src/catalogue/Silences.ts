import { observe } from "./Rule.ts"

/**
 * SIL: questions that the specification leaves open. The behaviour is recorded and never judged; `accept` limits it.
 */
export const silences = [
  observe("SIL-01", "§3").recorded("Status and code of the response to unlinking the last owner.", {
    accept: "any 4xx",
    beside: ["OWN-12"]
  }),
  observe("SIL-02", "§2.2").recorded(
    "Status and code of the response to the `correlationId` `string`, a placeholder of API consoles.",
    { accept: "any 4xx", beside: ["VER-06"] }
  ),
  observe("SIL-03", "§4", "both").recorded("How plain HTTP is rejected: a refused connection, or which status.", {
    accept: "no 2xx, no data, and no redirect that forwards the token",
    beside: ["TRN-01", "TRN-02"]
  }),
  observe("SIL-04", "§2.2").recorded("How an empty owner slot is represented.", {
    accept: "null, an empty string, an empty object or an empty list; the key is present (CRD-04)",
    beside: ["CRD-04", "CRD-05"]
  }),
  observe("SIL-05", "§2.2 §6").recorded("Whether the verify response is in `data` or flat.", {
    accept: "either",
    beside: ["ENV-01", "RID-02", "VER-01"]
  }),
  observe("SIL-06", "§3").recorded("The effect of unlinking an id that the slot does not hold.", {
    accept: "2xx or 4xx, and the slot keeps its owner",
    beside: ["OWN-11", "OWN-21"]
  }),
  observe("SIL-07", "§3").recorded(
    "The effect of a transfer to the current owner with a `from` that never held the slot.",
    { accept: "a no-op or 409", beside: ["OWN-08", "OWN-10", "OWN-21", "BLK-05"] }
  ),
  observe("SIL-08", "§3").recorded(
    "The effect of a transfer from one slot to the other, such as from an applicant to a worker.",
    { accept: "200 or 4xx", beside: ["OWN-07", "OWN-21"] }
  ),
  observe("SIL-09", "§3").recorded("The effect of reading, listing, updating and linking a soft-deleted resource.", {
    accept: "no 5xx, and the resource stays deleted",
    beside: ["DEL-01", "DEL-02"]
  }),
  observe("SIL-10", "§7.1").recorded("The body of a 401, apart from its message, and its `WWW-Authenticate`.", {
    accept: "anything without an error `code`",
    beside: ["AUT-06", "AUT-07", "TRN-07"]
  }),
  observe("SIL-11", "§8").recorded(
    "The numeric limits: the limit of each of the two tiers, the largest `pageSize`, the largest body.",
    { accept: "anything", beside: ["RTL-01", "RTL-07", "WRK-09"] }
  ),
  observe("SIL-12", "§6", "events").recorded(
    "The header and scheme of a signature, and the fields of a delivery besides `correlationId`.",
    { accept: "what the profile declares", beside: ["EVT-01", "EVT-02", "EVT-07"] }
  ),
  observe("SIL-13", "§4.2").recorded("The privilege that link, unlink, transfer, verify and rotate require.", {
    accept: "CREATE, UPDATE or both; for no privilege and READ alone see PRV-16 and PRV-17",
    beside: ["PRV-05", "PRV-16", "PRV-17"]
  }),
  observe("SIL-14", "§2.2 §7.1").recorded(
    "Whether successes have an `X-Request-Id`, and whether it equals `meta.requestId`.",
    { accept: "either", beside: ["RID-01", "RID-02"] }
  ),
  observe("SIL-15", "§7.1").recorded(
    "Status and body of the response to an unknown path, and to a method that the path does not have.",
    { accept: "4xx", beside: ["ENV-02", "TRN-07"] }
  ),
  observe("SIL-16", "§4.2").recorded(
    "The effect of a batch that names a credential twice, and of a batch with an empty list.",
    { accept: "200 or 4xx; an empty list changes nothing", beside: ["BLK-01", "BLK-02", "BLK-15"] }
  ),
  observe("SIL-17", "§3").recorded("The effect of linking an owner that does not exist.", {
    accept: "2xx or 4xx",
    beside: ["OWN-01", "OWN-02", "OWN-21"]
  }),
  observe("SIL-18", "§5.1", "legacy").recorded("The bodies of legacy errors other than 401.", {
    accept: "any",
    beside: ["LEG-26"]
  }),
  observe("SIL-19", "§2.1", "legacy").recorded("The responses to `POST scan` and `GET constituents`.", {
    accept: "any 2xx",
    beside: ["LEG-12", "LEG-13"]
  }),
  observe("SIL-20", "§2.2").recorded("The values of `eligibility` and `statusDetail` that were seen.", {
    accept: "any string",
    beside: ["VER-01"]
  }),
  observe("SIL-21", "§7.1").recorded(
    "The statuses outside the table in §7.1 (405, 413, 414, 415, 431, 503) that were seen, with body and code.",
    { accept: "a 4xx, or 503, without a code of the table", beside: ["ENV-02", "ENV-03"] }
  ),
  observe("SIL-22", "§2.2").recorded(
    "Whether a worker's fields are on the worker or in `attributes`. Also the further fields of workers, " +
      "credentials, webhooks, compliance checks and `organizations/me`.",
    { accept: "either, if create, list and lookup agree", beside: ["WRK-14", "LEG-11"] }
  ),
  observe("SIL-23", "§7.2", "token endpoint").recorded(
    "Whether the token endpoint checks the grant or the client first. Its response to no client at all, and to " +
      "`client_id` alone in the body beside Basic.",
    {
      accept: "400 or 401; for the last also 200",
      beside: ["OAU-07", "OAU-08", "OAU-09", "OAU-10", "OAU-11", "OAU-12"]
    }
  ),
  observe("SIL-24", "§4.1 §5.1", "legacy").recorded(
    "On the legacy surface: the token path with Bearer, and with another user's id. The calls that an unverified " +
      "account may make. `is_verified` with Basic. The values of `type`, and the response to an unknown one. Rate " +
      "limits. Events after a scan.",
    { accept: "2xx, 401, 403 or 404", beside: ["LEG-10", "LEG-15", "LEG-22"] }
  ),
  observe("SIL-25", "§6", "events").recorded(
    "Whether one event to two webhooks has one delivery id or two. Whether a verify sends an event if it queried " +
      "no register. The event kinds besides `credential.verified`. The response that first shows a signing secret.",
    { accept: "any", beside: ["EVT-04", "EVT-08", "EVT-15"] }
  ),
  observe("SIL-26", "§2.2").recorded("The value of `expiryDate` if the outcome has none.", {
    accept: "null, empty, absent, or the date of the credential itself",
    beside: ["VER-02"]
  }),
  observe("SIL-27", "§4.2").recorded(
    "The effect of a batch with an unknown `to`, with a malformed id, and with more than 500 credentials found. " +
      "The effect of a bulk link with both `from` and ids.",
    { accept: "200 or 4xx, and never 409", beside: ["BLK-08", "BLK-09", "BLK-12"] }
  ),
  observe("SIL-28", "§3").recorded(
    "The effect of a transfer from an empty slot, and of a transfer whose `from` equals its `to`.",
    { accept: "200 or 4xx, and the slot gets no owner other than `to`", beside: ["OWN-08", "OWN-21"] }
  ),
  observe("SIL-29", "§7.1").recorded("Whether `Location` is an absolute URL, and whether it leads to the resource.", {
    accept: "either",
    beside: ["WRK-02", "CRD-01", "ENV-11"]
  }),
  observe("SIL-30", "§1 §3 §5").recorded(
    "The lifecycle states that were seen, further groups, and the contents of groups that the specification does " +
      "not show.",
    { accept: "any", beside: ["PRV-14", "PRV-18"] }
  ),
  observe("SIL-31", "§4.2").recorded("The effect of creating a worker with an `externalId` that another worker has.", {
    accept: "a new worker, or a 4xx",
    beside: ["WRK-12"]
  }),
  observe("SIL-32", "§2.1 §2.2 §4.1", "both").recorded(
    'All other fields, values and contents that the specification calls "not shown", as far as they were seen.',
    { accept: "any", beside: [] }
  )
]
