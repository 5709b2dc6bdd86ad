import type { Rule } from "./Rule.ts"

/** SIL: what the specification leaves open. A deployment's answer is recorded and never judged; `accept` bounds it. */
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
    text: "The status and code for unlinking the last owner.",
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
    text: "The status and code for a `correlationId` of the word `string`.",
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
    text: "In what way plain HTTP is turned away: no connection, or a status, and which.",
    accept: "no 2xx, no data, and no redirect that sends the token along"
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
    text: "What stands in an owner slot that is empty.",
    accept: "null, an empty string, an empty object or an empty list, under a key that is there (CRD-04)"
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
    text: "Whether the fields of an answer to verify stand in `data` or at the top.",
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
    text: "What unlinking an id does that is not in the slot.",
    accept: "2xx or 4xx, and whoever is in the slot stays there"
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
    text: "What a transfer does whose `to` holds the slot and whose `from` never did.",
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
    text: "What a transfer from one slot to the other does, from an applicant to a worker.",
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
    text: "What becomes of reads, lists, updates and links of something that was deleted.",
    accept: "no 5xx, and it does not come back to life"
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
    text: "What a 401 has in its body apart from the message, and in `WWW-Authenticate`.",
    accept: "everything but an error `code`"
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
    text: "The figures: the limit of each of the two tiers, the largest `pageSize`, the largest body.",
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
    text: "The header and scheme of a signature, and what a delivery holds besides `correlationId`.",
    accept: "what the profile says"
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
    text: "Which privilege link, unlink, transfer, verify and rotate ask for.",
    accept: "CREATE, UPDATE or both; about none and READ by itself: PRV-16 and PRV-17"
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
    text: "Whether successes have an `X-Request-Id`, and whether it is their `meta.requestId`.",
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
    text: "The status and body for a path that does not exist, and for a method that a path does not have.",
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
    text: "What a batch does that names a credential twice, or whose list is empty.",
    accept: "200 or 4xx; with an empty list nothing moves"
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
    text: "What linking an owner does who does not exist.",
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
    text: "The body of legacy errors that are not 401.",
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
    text: "What `POST scan` and `GET constituents` answer.",
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
    text: "Which values of `eligibility` and `statusDetail` show up.",
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
    text: "Which statuses that §7.1 does not list show up (405, 413, 414, 415, 431, 503), and how.",
    accept: "a 4xx, or 503, without a code out of the table"
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
      "Whether the fields of a worker stand on it or in its `attributes`; which further fields there are, on " +
      "credentials, webhooks, compliance checks and `organizations/me` too.",
    accept: "either, so long as create, list and lookup agree"
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
      "What the token endpoint looks at first, the grant or the client; what it says to no client at all, and to a " +
      "`client_id` by itself in the body beside a Basic header.",
    accept: "400 or 401; for the last, 200 too"
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
      "On the legacy surface: the token path with Bearer, and for another user; what an account may do before it is " +
      "verified; `is_verified` with Basic; the values of `type`, and one that is none; rate limits; events after a " +
      "scan.",
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
      "Whether an event for two webhooks has one delivery id or two; whether a verify that asked no register is " +
      "followed by an event; which kinds there are besides `credential.verified`; where a first secret is seen.",
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
    text: "What `expiryDate` is where the outcome does not have one.",
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
      "What a batch does with a `to` that does not exist, a malformed id, more than 500 credentials found, and a " +
      "link with both `from` and ids.",
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
    text: "What a transfer out of an empty slot does (no row of the table), and one whose `from` is its `to`.",
    accept: "200 or 4xx, and nobody but `to` gets the slot"
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
    text: "Whether `Location` is an absolute URL, and whether the resource is found there.",
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
    text: "Which words for states show up, which further groups, and what is in groups that are not shown.",
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
    text: "What making a worker does whose `externalId` another worker has.",
    accept: "it is made, or a 4xx"
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
    text: 'What is seen of all else that the specification calls "not shown": fields, values, contents.',
    accept: "any"
  }
] as const satisfies ReadonlyArray<Rule>
