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
    text: "Making a credential is 201, with a `Location`."
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
    text: "The answer to the create has a `meta.correlationId`."
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
    text: "A credential's id is `cred_` and more, and new on every create."
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
    text: "`GET credentials/{id}` shows `attributes.owners`, and both keys in it: `worker` and `applicant`."
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
    text: "A slot is empty or holds the id of one owner of its kind, and never of two."
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
    text:
      "`GET credentials?ownerExternalId=` lists in `data` the credentials of that owner, all of them and no others, " +
      "beside a `meta`."
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
    text: "An `ownerExternalId` that nobody has is 200, with `data` empty."
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
    text: "Making is not idempotent: a second answer never has the id of the first."
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
    text: "A verifiable credential is verified a first time without anybody asking for it."
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
    text: "An applicant's id is `app_` and more."
  }
] as const satisfies ReadonlyArray<Rule>
