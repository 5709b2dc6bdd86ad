import type { Rule } from "./Rule.ts"

/** TRN: transport, surfaces and tenants. */
export const transport = [
  {
    id: "TRN-01",
    sections: ["4"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "pair",
    impact: "read",
    needs: ["plain-HTTP address"],
    text: "The legacy surface turns plain HTTP away: no data comes back, and nothing is done."
  },
  {
    id: "TRN-02",
    sections: ["4"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "create",
    needs: ["plain-HTTP address"],
    text: "The newer surface turns plain HTTP away: no data comes back, and nothing is done."
  },
  {
    id: "TRN-03",
    sections: ["4", "9"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "answers",
    impact: "read",
    needs: ["legacy surface"],
    text: "The legacy surface is found below `/api`; no version stands in its paths."
  },
  {
    id: "TRN-04",
    sections: ["4", "9"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "read",
    needs: [],
    text: "The newer surface is found below `/openapi/v1`, its version being part of every path."
  },
  {
    id: "TRN-05",
    sections: ["1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "mutate-own",
    needs: ["second tenant", "credential body"],
    text:
      "Each tenant has a host to itself: what one tenant made is a 4xx at another tenant's host, which shows none " +
      "of it."
  },
  {
    id: "TRN-06",
    sections: ["1", "5.2"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "read",
    needs: ["second tenant"],
    text: "At the host of another tenant, a token opens nothing: 4xx."
  },
  {
    id: "TRN-07",
    sections: ["4"],
    level: "MUST",
    keptBy: "server",
    surface: "both",
    judged: "every exchange",
    impact: "read",
    needs: [],
    text:
      "The body of a 2xx answer, and of an error in the envelope, parses as JSON. (A 401: SIL-10. Paths that do not " +
      "exist: SIL-15.)"
  },
  {
    id: "TRN-08",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "mutate-own",
    needs: ["credential body"],
    text:
      "Nothing but `POST oauth/token` takes form encoding: a create or a link sent as a form is a 4xx and leaves " +
      "everything as it was."
  },
  {
    id: "TRN-09",
    sections: ["4"],
    level: "SHOULD",
    keptBy: "server",
    surface: "both",
    judged: "every exchange",
    impact: "read",
    needs: [],
    text: "The bodies that TRN-07 is about are declared with a JSON content type."
  },
  {
    id: "TRN-10",
    sections: ["1", "5.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "mutate-own",
    needs: ["second tenant"],
    text:
      "At the host of another tenant, tokens and OAuth clients have no access: no 2xx shows or changes data, and no " +
      "token is granted."
  }
] as const satisfies ReadonlyArray<Rule>
