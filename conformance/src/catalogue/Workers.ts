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
    text: "A `POST workers` that has no `identity.displayName` is 400."
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
    text: "Making a worker is 201, with a `Location` and with `data` and `meta`."
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
    text: "A worker's id is `wkr_` and more, and the server's own making: one that the caller proposes is not used."
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
    text: "Each worker that is made has an id that none had before."
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
    text: "`GET workers?externalId=` finds the worker that was made with that `source.externalId`."
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
    text: "The lookup goes by the whole value: neither its beginning nor a piece of it finds anything."
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
    text: "A lookup that finds nothing is 200, with `data` empty."
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
    text: "`GET workers` has a list of workers as its `data`, and a `meta`."
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
    text: "No more workers come back than `pageSize` says."
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
    text: "A `pageSize` that is not a whole number is 400."
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
    text: "A worker can be made without a `source.externalId`."
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
      "Making is not idempotent: one body without `source.externalId`, sent twice, makes two workers; with it, the " +
      "second answer never has the id of the first. (SIL-31.)"
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
    text: "An idempotency key in a header means nothing, there being no such header."
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
    text:
      "Made, listed or looked up, a worker shows its `id` and the `source.externalId` it was given. (Where on the " +
      "worker: SIL-22.)"
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
    text: "A client gives every worker that it makes a `source.externalId`.",
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
    text: "The lookup minds capitals: the value in other letter case finds nothing."
  }
] as const satisfies ReadonlyArray<Rule>
