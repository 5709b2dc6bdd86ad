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
    text: "In an error of the envelope, `error.requestId` is what the header `X-Request-Id` says."
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
      "Every body that ENV-01 judges, of one resource, of a list or of a batch, has a `meta.requestId` that is a " +
      "string and not empty. (Equal to the header or not: SIL-14.)"
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
    text: "The `X-Request-Id` that a caller sends never becomes the request's id."
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
    text: "A well-formed UUID that a caller sends as `X-Request-Id` comes back as `X-Client-Request-Id`."
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
    text: "So does a ULID of 26 characters."
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
    text: "Anything else in that header is passed over: it does not come back, and the call is carried out."
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
    text: "No two responses have the same id."
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
    text: "The caller's id comes back on an error too."
  }
] as const satisfies ReadonlyArray<Rule>
