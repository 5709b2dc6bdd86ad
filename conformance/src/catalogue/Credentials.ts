import type { Rule } from "./Rule.ts"

/** CRD: credentials. */
export const credentials = [
  {
    id: "CRD-01",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: ["credential body"],
    text: "Creating a credential is 201 with a `Location`."
  },
  {
    id: "CRD-02",
    sections: ["2.2", "4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: ["credential body"],
    text: "The response to a create has a `meta.correlationId`."
  },
  {
    id: "CRD-03",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: ["credential body"],
    text: "A credential's id is `cred_<id>`, new for every create."
  },
  {
    id: "CRD-04",
    sections: ["2.2", "4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: ["credential body"],
    text: "`GET credentials/{id}` shows `attributes.owners` with the keys `worker` and `applicant`."
  },
  {
    id: "CRD-05",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: ["credential body"],
    text: "A slot is empty or holds the id of one owner of its own kind, never more than one."
  },
  {
    id: "CRD-06",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: ["credential body"],
    text: "`GET credentials?ownerExternalId=` returns exactly the credentials of that owner in `data`, and a `meta`."
  },
  {
    id: "CRD-07",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "create",
    needs: [],
    text: "An unknown `ownerExternalId` is 200 with an empty `data`."
  },
  {
    id: "CRD-08",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: ["credential body"],
    text: "Creates are not idempotent: a second create never returns the first id."
  },
  {
    id: "CRD-09",
    sections: ["4.2", "6"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: ["credential body", "verifiable credential", "receiver"],
    text: "Creating a verifiable credential automatically starts a first verification."
  },
  {
    id: "CRD-10",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: ["applicant"],
    text: "An applicant's id is `app_<id>`."
  }
] as const satisfies ReadonlyArray<Rule>
