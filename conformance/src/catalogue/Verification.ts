import type { Rule } from "./Rule.ts"

/** VER: verifying a credential. */
export const verification = [
  {
    id: "VER-01",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["verifiable credential"],
    text: "The verify response has the strings `eligibility` and `statusDetail`, a `correlationId` and a `requestId`."
  },
  {
    id: "VER-02",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["verifiable credential"],
    text: "If the outcome has an `expiryDate`, it is a date in the form `YYYY-MM-DD`. (Otherwise: SIL-26.)"
  },
  {
    id: "VER-03",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["verifiable credential"],
    text: "`errorMessage` is a string or null."
  },
  {
    id: "VER-04",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["verifiable credential"],
    text: "The response echoes the `correlationId` of the request."
  },
  {
    id: "VER-05",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["verifiable credential"],
    text: "If the request has no `correlationId`, the server generates a new one each time."
  },
  {
    id: "VER-06",
    sections: ["2.2", "7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "mutate-own",
    needs: ["verifiable credential"],
    text: "A `correlationId` that is the literal `string` is a 4xx, and no verification starts."
  },
  {
    id: "VER-07",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["verifiable credential"],
    text: "`forceRefresh` is optional and may be `true` or `false`."
  },
  {
    id: "VER-08",
    sections: ["2.2"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "mutate-own",
    needs: ["verifiable credential"],
    text: "Whether the `requestId` of the response equals its `X-Request-Id`."
  }
] as const satisfies ReadonlyArray<Rule>
