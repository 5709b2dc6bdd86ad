import type { Rule } from "./Rule.ts"

/**
 * SIL: questions that the specification leaves open. The behaviour is recorded and never judged; `accept` limits it.
 */
export const silences = [
  {
    id: "SIL-01",
    sections: ["3"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "Status and code of the response to unlinking the last owner.",
    accept: "any 4xx"
  },
  {
    id: "SIL-02",
    sections: ["2.2"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "mutate-own",
    needs: ["verifiable credential"],
    text: "Status and code of the response to a `correlationId` that is the literal `string`.",
    accept: "any 4xx"
  },
  {
    id: "SIL-03",
    sections: ["4"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "both",
    judged: "observation",
    impact: "read",
    needs: ["plain-HTTP address"],
    text: "How plain HTTP is rejected: a refused connection, or which status.",
    accept: "no 2xx, no data, and no redirect that forwards the token"
  },
  {
    id: "SIL-04",
    sections: ["2.2"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "create",
    needs: ["credential body"],
    text: "How an empty owner slot is represented.",
    accept: "null, an empty string, an empty object or an empty list; the key is present (CRD-04)"
  },
  {
    id: "SIL-05",
    sections: ["2.2", "6"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "mutate-own",
    needs: ["verifiable credential"],
    text: "Whether the verify response is in `data` or flat.",
    accept: "either"
  },
  {
    id: "SIL-06",
    sections: ["3"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "mutate-own",
    needs: ["credential body", "applicant"],
    text: "The effect of unlinking an id that the slot does not hold.",
    accept: "2xx or 4xx, and the slot keeps its owner"
  },
  {
    id: "SIL-07",
    sections: ["3"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "The effect of a transfer to the current owner with a `from` that never held the slot.",
    accept: "a no-op or 409"
  },
  {
    id: "SIL-08",
    sections: ["3"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "mutate-own",
    needs: ["credential body", "applicant"],
    text: "The effect of a transfer from one slot to the other, such as from an applicant to a worker.",
    accept: "200 or 4xx"
  },
  {
    id: "SIL-09",
    sections: ["3"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "mutate-own",
    needs: ["credential body", "delete paths"],
    text: "The effect of reading, listing, updating and linking a soft-deleted resource.",
    accept: "no 5xx, and the resource stays deleted"
  },
  {
    id: "SIL-10",
    sections: ["7.1"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "read",
    needs: [],
    text: "The body of a 401, apart from its message, and its `WWW-Authenticate`.",
    accept: "anything without an error `code`"
  },
  {
    id: "SIL-11",
    sections: ["8"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "read",
    needs: [],
    text: "The numeric limits: the limit of each of the two tiers, the largest `pageSize`, the largest body.",
    accept: "anything"
  },
  {
    id: "SIL-12",
    sections: ["6"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "events",
    judged: "observation",
    impact: "mutate-own",
    needs: ["receiver", "webhook body"],
    text: "The header and scheme of a signature, and the fields of a delivery besides `correlationId`.",
    accept: "what the profile declares"
  },
  {
    id: "SIL-13",
    sections: ["4.2"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "mutate-own",
    needs: ["limited tokens", "credential body"],
    text: "The privilege that link, unlink, transfer, verify and rotate require.",
    accept: "CREATE, UPDATE or both; for no privilege and READ alone see PRV-16 and PRV-17"
  },
  {
    id: "SIL-14",
    sections: ["2.2", "7.1"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "read",
    needs: [],
    text: "Whether successes have an `X-Request-Id`, and whether it equals `meta.requestId`.",
    accept: "either"
  },
  {
    id: "SIL-15",
    sections: ["7.1"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "read",
    needs: [],
    text: "Status and body of the response to an unknown path, and to a method that the path does not have.",
    accept: "4xx"
  },
  {
    id: "SIL-16",
    sections: ["4.2"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "The effect of a batch that names a credential twice, and of a batch with an empty list.",
    accept: "200 or 4xx; an empty list changes nothing"
  },
  {
    id: "SIL-17",
    sections: ["3"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "mutate-own",
    needs: ["credential body", "applicant"],
    text: "The effect of linking an owner that does not exist.",
    accept: "2xx or 4xx"
  },
  {
    id: "SIL-18",
    sections: ["5.1"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "legacy",
    judged: "observation",
    impact: "read",
    needs: ["legacy user"],
    text: "The bodies of legacy errors other than 401.",
    accept: "any"
  },
  {
    id: "SIL-19",
    sections: ["2.1"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "legacy",
    judged: "observation",
    impact: "irreversible",
    needs: ["legacy user", "scan body"],
    text: "The responses to `POST scan` and `GET constituents`.",
    accept: "any 2xx"
  },
  {
    id: "SIL-20",
    sections: ["2.2"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "mutate-own",
    needs: ["verifiable credential"],
    text: "The values of `eligibility` and `statusDetail` that were seen.",
    accept: "any string"
  },
  {
    id: "SIL-21",
    sections: ["7.1"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "read",
    needs: [],
    text: "The statuses outside the table in §7.1 (405, 413, 414, 415, 431, 503) that were seen, with body and code.",
    accept: "a 4xx, or 503, without a code of the table"
  },
  {
    id: "SIL-22",
    sections: ["2.2"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "create",
    needs: [],
    text:
      "Whether a worker's fields are on the worker or in `attributes`. Also the further fields of workers, " +
      "credentials, webhooks, compliance checks and `organizations/me`.",
    accept: "either, if create, list and lookup agree"
  },
  {
    id: "SIL-23",
    sections: ["7.2"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "token endpoint",
    judged: "observation",
    impact: "read",
    needs: ["OAuth client"],
    text:
      "Whether the token endpoint checks the grant or the client first. Its response to no client at all, and to " +
      "`client_id` alone in the body beside Basic.",
    accept: "400 or 401; for the last also 200"
  },
  {
    id: "SIL-24",
    sections: ["4.1", "5.1"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "legacy",
    judged: "observation",
    impact: "irreversible",
    needs: ["legacy user"],
    text:
      "On the legacy surface: the token path with Bearer, and with another user's id. The calls that an unverified " +
      "account may make. `is_verified` with Basic. The values of `type`, and the response to an unknown one. Rate " +
      "limits. Events after a scan.",
    accept: "2xx, 401, 403 or 404"
  },
  {
    id: "SIL-25",
    sections: ["6"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "events",
    judged: "observation",
    impact: "mutate-own",
    needs: ["receiver", "webhook body"],
    text:
      "Whether one event to two webhooks has one delivery id or two. Whether a verify sends an event if it queried " +
      "no register. The event kinds besides `credential.verified`. The response that first shows a signing secret.",
    accept: "any"
  },
  {
    id: "SIL-26",
    sections: ["2.2"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "mutate-own",
    needs: ["verifiable credential"],
    text: "The value of `expiryDate` if the outcome has none.",
    accept: "null, empty, absent, or the date of the credential itself"
  },
  {
    id: "SIL-27",
    sections: ["4.2"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "mutate-own",
    needs: ["credential body"],
    text:
      "The effect of a batch with an unknown `to`, with a malformed id, and with more than 500 credentials found. " +
      "The effect of a bulk link with both `from` and ids.",
    accept: "200 or 4xx, and never 409"
  },
  {
    id: "SIL-28",
    sections: ["3"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "The effect of a transfer from an empty slot, and of a transfer whose `from` equals its `to`.",
    accept: "200 or 4xx, and the slot gets no owner other than `to`"
  },
  {
    id: "SIL-29",
    sections: ["7.1"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "create",
    needs: [],
    text: "Whether `Location` is an absolute URL, and whether it leads to the resource.",
    accept: "either"
  },
  {
    id: "SIL-30",
    sections: ["1", "3", "5"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "read",
    needs: [],
    text:
      "The lifecycle states that were seen, further groups, and the contents of groups that the specification does " +
      "not show.",
    accept: "any"
  },
  {
    id: "SIL-31",
    sections: ["4.2"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "create",
    needs: [],
    text: "The effect of creating a worker with an `externalId` that another worker has.",
    accept: "a new worker, or a 4xx"
  },
  {
    id: "SIL-32",
    sections: ["2.1", "2.2", "4.1"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "both",
    judged: "observation",
    impact: "read",
    needs: [],
    text: 'All other fields, values and contents that the specification calls "not shown", as far as they were seen.',
    accept: "any"
  }
] as const satisfies ReadonlyArray<Rule>
