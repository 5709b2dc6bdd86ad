import type { Rule } from "./Rule.ts"

/** RID: request ids. */
export const requestIds = [
  {
    id: "RID-01",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "every exchange",
    impact: "read",
    needs: [],
    text: "In an error in the envelope, `error.requestId` equals the `X-Request-Id` response header."
  },
  {
    id: "RID-02",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "every exchange",
    impact: "read",
    needs: [],
    text:
      "Every body that ENV-01 judges has a non-empty string `meta.requestId`: single, list and bulk. (Whether it " +
      "equals the header: SIL-14.)"
  },
  {
    id: "RID-03",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "read",
    needs: [],
    text: "The server never adopts the caller's `X-Request-Id` as its own request id."
  },
  {
    id: "RID-04",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "read",
    needs: [],
    text: "A well-formed UUID in the caller's `X-Request-Id` is echoed in `X-Client-Request-Id`."
  },
  {
    id: "RID-05",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "read",
    needs: [],
    text: "A ULID of 26 characters in the caller's `X-Request-Id` is echoed in the same way."
  },
  {
    id: "RID-06",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "read",
    needs: [],
    text: "Any other value of the caller's `X-Request-Id` is ignored: it is not echoed, and the call proceeds."
  },
  {
    id: "RID-07",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "every exchange",
    impact: "read",
    needs: [],
    text: "Each response has its own request id."
  },
  {
    id: "RID-08",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "read",
    needs: [],
    text: "Errors echo the caller's request id as successes do."
  }
] as const satisfies ReadonlyArray<Rule>
