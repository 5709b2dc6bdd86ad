import type { Rule } from "./Rule.ts"

/** ENV: envelopes, statuses and codes. */
export const envelopes = [
  {
    id: "ENV-01",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "every exchange",
    impact: "read",
    needs: [],
    text:
      "Successful bodies of the newer surface have `data` and `meta`. (Not judged: the OAuth token response, §2.2, " +
      "and a flat verify response, SIL-05.)"
  },
  {
    id: "ENV-02",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "every exchange",
    impact: "read",
    needs: [],
    text:
      "On the newer surface, these errors are in the envelope: 400, 403, 409, 422, 429, 500, and 404 of a known " +
      "path. Their `error` is an object with three strings: `code`, `message` and `requestId`. In every other " +
      "error of that surface, an `error` that is present is an object. (The token endpoint: OAU-15.)"
  },
  {
    id: "ENV-03",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "every exchange",
    impact: "read",
    needs: [],
    text:
      "A code of the table in §7.1 appears only with its own status. An error in the envelope with a status of the " +
      "table has a code of that row. (Other statuses: SIL-21.)"
  },
  {
    id: "ENV-04",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "create",
    needs: [],
    text: "Malformed JSON is 400 in the envelope."
  },
  {
    id: "ENV-05",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "create",
    needs: [],
    text: "A body without a required field is 400."
  },
  {
    id: "ENV-06",
    sections: ["7.1"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "create",
    needs: [],
    text: 'A field of the wrong type (`identity.displayName: 42`, `forceRefresh: "yes"`) is 400.'
  },
  {
    id: "ENV-07",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "read",
    needs: ["sort parameter"],
    text: "Sorting by an unknown field is 400."
  },
  {
    id: "ENV-08",
    sections: ["7.1"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "read",
    needs: [],
    text: "A malformed id or URN is 400. (404 is a warning, because ids are opaque.)"
  },
  {
    id: "ENV-09",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "create",
    needs: [],
    text:
      "The id of a worker or credential with its last characters replaced is 404 `NOT_FOUND`. (400 is a warning, " +
      "because ids may contain a checksum.)"
  },
  {
    id: "ENV-10",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "mutate-own",
    needs: ["a request that breaks a business rule"],
    text: "A request that breaks a business rule is 422 `UNPROCESSABLE`."
  },
  {
    id: "ENV-11",
    sections: ["2.2", "4.2", "7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: ["another group's body"],
    text:
      "A create in every other group is 201 with a `Location` and a new id. (The id of a compliance check is its " +
      "code: DEL-04.)"
  },
  {
    id: "ENV-12",
    sections: ["7.1"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: [],
    text: "Hostile and random paths, queries, headers and bodies never cause a 5xx."
  },
  {
    id: "ENV-13",
    sections: ["7.1", "9"],
    level: "MUST",
    keptBy: "client",
    surface: "newer",
    judged: "elsewhere",
    impact: "read",
    needs: [],
    text: "Callers branch on status and code, never on message text.",
    keptAt: "client library"
  },
  {
    id: "ENV-14",
    sections: ["4.2", "7.1", "8"],
    level: "MUST",
    keptBy: "client",
    surface: "newer",
    judged: "elsewhere",
    impact: "read",
    needs: [],
    text:
      "Callers retry a 429 no sooner than `Retry-After`. After a 5xx or a network failure they retry GET, PUT, " +
      "DELETE, link, unlink, transfer and the token request. They never resend a POST create whose response may " +
      "have been lost. They never retry a 400, 401, 403, 404 or 409 unchanged, and a 403 does not renew the token.",
    keptAt: "client library"
  },
  {
    id: "ENV-15",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "every exchange",
    impact: "read",
    needs: [],
    text: "Every 500 in the run is `INTERNAL` in the envelope. (Not applicable if the run sees none.)"
  },
  {
    id: "ENV-16",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["write paths"],
    text:
      "PUT is idempotent: a repeated PUT has the same status and leaves the same resource. Times and request ids " +
      "may differ."
  },
  {
    id: "ENV-17",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: [],
    text: "GET changes nothing: two GETs without a write between them return the same resource."
  },
  {
    id: "ENV-18",
    sections: ["7.1"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "every exchange",
    impact: "read",
    needs: [],
    text: "The message of a 500 discloses no internals: no stack, query, host or file path."
  },
  {
    id: "ENV-19",
    sections: ["7.1"],
    level: "SHOULD",
    keptBy: "client",
    surface: "newer",
    judged: "elsewhere",
    impact: "read",
    needs: [],
    text: "After a 409, callers read the state again before they send anything else.",
    keptAt: "client library"
  }
] as const satisfies ReadonlyArray<Rule>
