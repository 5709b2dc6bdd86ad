import type { Rule } from "./Rule.ts"

/** DEL: soft delete and compliance checks. */
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
    text: "Delete is 204 without a body."
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
    text: "A second delete of the same resource is a 2xx and changes nothing."
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
    text: "DEL-01 and DEL-02 hold in every group that has DELETE."
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
    text: "The id of a compliance check is the code that it was created with."
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
    text: "Creating a compliance check with an existing code is 409 `DUPLICATE_ID`."
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
    text: "The code of a soft-deleted compliance check stays reserved: 409 `DUPLICATE_ID`."
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
    text: "A second delete is 204 again."
  }
] as const satisfies ReadonlyArray<Rule>
