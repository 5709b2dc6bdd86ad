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
    text: "Verify answers `eligibility` and `statusDetail`, both strings, and a `correlationId` and a `requestId`."
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
    text: "Where the outcome has an `expiryDate`, it is a date in the form `YYYY-MM-DD`. (Where it has none: SIL-26.)"
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
    text: "`errorMessage` is null or a string."
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
    text: "The `correlationId` of the request comes back."
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
    text: "A request without one is given one, and each request another."
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
    text: "A `correlationId` of the word `string` is a 4xx, and no verification begins."
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
    text: "`forceRefresh` may be absent, `true` or `false`."
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
    text: "Whether the `requestId` of the answer is its `X-Request-Id`."
  }
] as const satisfies ReadonlyArray<Rule>
