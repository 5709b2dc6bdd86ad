import type { Rule } from "./Rule.ts"

/** WRK: workers. */
export const workers = [
  {
    id: "WRK-01",
    sections: ["2.2", "4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "create",
    needs: [],
    text: "`POST workers` without `identity.displayName` is 400."
  },
  {
    id: "WRK-02",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: [],
    text: "Creating a worker is 201 with a `Location`, `data` and `meta`."
  },
  {
    id: "WRK-03",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: [],
    text: "The server creates the worker's id, `wkr_<id>`. An id that the caller sends is not used."
  },
  {
    id: "WRK-04",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: [],
    text: "Every create of a worker returns a new id."
  },
  {
    id: "WRK-05",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: [],
    text: "`GET workers?externalId=` finds the worker that was created with that `source.externalId`."
  },
  {
    id: "WRK-06",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "create",
    needs: [],
    text: "The `externalId` lookup is exact: prefixes and substrings do not match."
  },
  {
    id: "WRK-07",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "create",
    needs: [],
    text: "A lookup without a match is 200 with an empty `data`."
  },
  {
    id: "WRK-08",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: [],
    text: "`GET workers` returns a list of workers in `data`, and a `meta`."
  },
  {
    id: "WRK-09",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: [],
    text: "`GET workers` returns at most `pageSize` workers."
  },
  {
    id: "WRK-10",
    sections: ["4.2"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "read",
    needs: [],
    text: "A `pageSize` that is not an integer is 400."
  },
  {
    id: "WRK-11",
    sections: ["4.2"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: [],
    text: "A worker can be created without a `source.externalId`."
  },
  {
    id: "WRK-12",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: [],
    text:
      "Creates are not idempotent. A body without `source.externalId` that is sent twice creates two workers. With " +
      "one, the second response never has the first id. (SIL-31.)"
  },
  {
    id: "WRK-13",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: [],
    text: "There is no idempotency-key header. Sending one changes nothing."
  },
  {
    id: "WRK-14",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: [],
    text: "A worker that is created, listed or looked up shows its `id` and its `source.externalId`. (Position: SIL-22.)"
  },
  {
    id: "WRK-15",
    sections: ["4.2"],
    level: "SHOULD",
    keptBy: "client",
    surface: "newer",
    judged: "elsewhere",
    impact: "read",
    needs: [],
    text: "A client sends a `source.externalId` whenever it creates a worker.",
    keptAt: "client library"
  },
  {
    id: "WRK-16",
    sections: ["4.2"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "create",
    needs: [],
    text: "The `externalId` lookup is case-sensitive."
  }
] as const satisfies ReadonlyArray<Rule>
