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
    text: "The legacy surface rejects plain HTTP requests. They have no effect and return no data."
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
    text: "The newer surface rejects plain HTTP requests. They have no effect and return no data."
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
    text: "The legacy surface answers under `/api`. Its paths have no version segment."
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
    text: "The newer surface answers under `/openapi/v1`. The version is part of every path."
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
    text: "Each tenant has its own host. A request for another tenant's resource gets a 4xx and none of its data."
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
    text: "A token of one tenant gets a 4xx on another tenant's host."
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
    text: "Bodies of 2xx responses and of errors in the envelope are valid JSON. (401: SIL-10. Unknown paths: SIL-15.)"
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
    text: "Only `POST oauth/token` accepts form encoding. A create or link sent as a form gets a 4xx and changes nothing."
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
    text: "Bodies of 2xx responses and of errors in the envelope have a JSON content type."
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
      "Tokens and OAuth clients of one tenant have no access on another tenant's host. No 2xx returns or changes " +
      "data there, and no token is granted."
  }
] as const satisfies ReadonlyArray<Rule>
