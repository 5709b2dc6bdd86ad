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
      "A success of the newer surface has a body of `data` and `meta`. Not judged: the OAuth token, whose shape " +
      "§2.2 gives, and an answer to verify that is flat (SIL-05)."
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
      "A 400, 403, 409, 422, 429 or 500 of the newer surface, and a 404 below a known path, has an `error` of three " +
      "strings: `code`, `message` and `requestId`. Any error of that surface that has an `error` has an object " +
      "there. (The token endpoint: OAU-15.)"
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
      "A code that the table of §7.1 lists comes with the status it is listed at, and an error in the " +
      "envelope with one of the table's error statuses has a code listed there. (Other statuses: SIL-21.)"
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
    text: "A body that is broken JSON is 400, in the envelope."
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
    text: "A body that lacks a required field is 400."
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
    text: 'A field of another type than it should have (`identity.displayName: 42`, `forceRefresh: "yes"`) is 400.'
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
    text: "Sorting by a field that does not exist is 400."
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
    text: "An id or URN that is no such thing is 400. (404 is a warning, ids being opaque.)"
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
      "A worker's or credential's id whose last characters were exchanged for others is 404 `NOT_FOUND`. (400, " +
      "where ids carry a check of their own, is a warning.)"
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
    text: "A request against a business rule is 422 `UNPROCESSABLE`."
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
      "Creates of all other groups are 201, with a `Location` and an id that is new. (The id of a compliance check " +
      "is its code: DEL-04.)"
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
    text: "No path, query, header or body, however hostile or random, brings out a 5xx."
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
    text: "Callers decide by status and code and never by the text of a message.",
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
      "Callers wait out `Retry-After` before they repeat what was 429. After a 5xx or a network failure they repeat " +
      "GET, PUT, DELETE, link, unlink, transfer and the token request, and never a creating POST whose answer may " +
      "have been lost. They repeat no 400, 401, 403, 404 or 409 unchanged, and renew no token over a 403.",
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
    text: "A 500, should the run see one, is `INTERNAL` in the envelope. (Without one there is nothing to judge.)"
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
      "A PUT said twice has one status and leaves what it leaves said once, but for the times and ids of the " +
      "requests."
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
    text: "Reading changes nothing: two GETs with no write between them show the same resource."
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
    text: "The message of a 500 gives away nothing of the inside: be it a stack, a query, a host or a file path."
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
    text: "After a 409, callers look at the state again before they send anything more.",
    keptAt: "client library"
  }
] as const satisfies ReadonlyArray<Rule>
