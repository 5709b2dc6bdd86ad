import type { Rule } from "./Rule.ts"

/** DEL: soft delete, and the ids that compliance checks keep. */
export const deletion = [
  {
    id: "DEL-01",
    sections: ["3", "7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["delete paths"],
    text: "Deleting is 204, and no body comes with it."
  },
  {
    id: "DEL-02",
    sections: ["3"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["delete paths"],
    text: "Deleting what is deleted changes nothing: 2xx."
  },
  {
    id: "DEL-03",
    sections: ["3"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["another group's delete path"],
    text: "Both are so in every group that can delete."
  },
  {
    id: "DEL-04",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "irreversible",
    needs: ["compliance-check body"],
    text: "The id of a compliance check is the code that it was made with."
  },
  {
    id: "DEL-05",
    sections: ["3", "7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "irreversible",
    needs: ["compliance-check body"],
    text: "Making one whose code is in use is 409 `DUPLICATE_ID`."
  },
  {
    id: "DEL-06",
    sections: ["3", "7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "irreversible",
    needs: ["compliance-check body", "another group's delete path"],
    text: "A deleted one keeps its code in use: 409 `DUPLICATE_ID`."
  },
  {
    id: "DEL-07",
    sections: ["3"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["delete paths"],
    text: "Deleting what is deleted is 204, as the first time."
  }
] as const satisfies ReadonlyArray<Rule>
