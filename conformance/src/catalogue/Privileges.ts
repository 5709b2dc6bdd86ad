import type { Rule } from "./Rule.ts"

/**
 * PRV: what a token may do. Entity types: worker, credential, credentialCheck, captureRequest, exemption, webhook and
 * ban.
 */
export const privileges = [
  {
    id: "PRV-01",
    sections: ["5.2", "7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "read",
    needs: ["limited tokens"],
    text: "Who lacks READ on an entity type gets 403 `FORBIDDEN` for a `GET` of its group."
  },
  {
    id: "PRV-02",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "create",
    needs: ["limited tokens", "credential body"],
    text: "Who lacks CREATE on an entity type gets 403 `FORBIDDEN` for the `POST` that makes one."
  },
  {
    id: "PRV-03",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "mutate-own",
    needs: ["limited tokens", "write paths"],
    text:
      "Who lacks UPDATE on an entity type gets 403 `FORBIDDEN` for each PATCH and PUT of its group. (For one that " +
      "the group does not have: 403, 404 or 405.)"
  },
  {
    id: "PRV-04",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "mutate-own",
    needs: ["limited tokens", "delete paths"],
    text:
      "Who lacks DELETE on an entity type gets 403 `FORBIDDEN` for its `DELETE`. (In a group that has none: 403, " +
      "404 or 405.)"
  },
  {
    id: "PRV-05",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "mutate-own",
    needs: ["limited tokens", "write paths", "delete paths"],
    text: "Who has one privilege alone carries out that operation, and gets 403 for the three others."
  },
  {
    id: "PRV-06",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "mutate-own",
    needs: ["limited tokens"],
    text: "No privilege reaches beyond its entity type; every type is held against every other."
  },
  {
    id: "PRV-07",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "mutate-own",
    needs: ["limited tokens", "write paths"],
    text: "Privileges are looked at first: who lacks one gets 403 and not 400 for a body that is invalid."
  },
  {
    id: "PRV-08",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "read",
    needs: ["limited tokens"],
    text: "Privileges are looked at first: who lacks one gets 403 and not 404 for an id that does not exist."
  },
  {
    id: "PRV-09",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "mutate-own",
    needs: ["limited tokens", "write paths"],
    text: "A call refused for want of a privilege leaves everything as it was."
  },
  {
    id: "PRV-10",
    sections: ["7.1"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "read",
    needs: ["limited tokens"],
    text:
      "The message of such a 403 is `<account_urn> is unauthorized to <OPERATION> <entities>.`, with the caller's " +
      "own URN and the operation that was refused. A text, so another is a warning."
  },
  {
    id: "PRV-11",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "read",
    needs: ["limited tokens", "re-issued token"],
    text: "Issuing a token anew lifts no 403: with the privileges unchanged, the new one is refused the same calls."
  },
  {
    id: "PRV-12",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "create",
    needs: ["limited tokens"],
    text:
      "Of a ban there is READ only: with it bans are read, and no privilege makes, changes or removes one. (Section " +
      '1 says "manage", 4.2 says READ only; the table decides.)'
  },
  {
    id: "PRV-13",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "read",
    needs: [],
    text: "There are `/workers` and `/credentials`: who may, gets 200 for a `GET`."
  },
  {
    id: "PRV-14",
    sections: ["4.2"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "read",
    needs: [],
    text:
      "There are `/applicants` and `/screening-packages`, or the paths that the profile gives for them: guarded as " +
      "the others are, and no 404."
  },
  {
    id: "PRV-15",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: ["two OAuth clients", "audit reading"],
    text: "Whichever OAuth client acted, the audit history names the one service account."
  },
  {
    id: "PRV-16",
    sections: ["1", "4.2", "5.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "mutate-own",
    needs: ["limited tokens", "credential body"],
    text:
      "Calls that are more than a plain method have a guard as well: who has nothing on credential gets 403 " +
      "`FORBIDDEN` for link, unlink, transfer and verify, and for bulk link and bulk transfer; who has nothing on " +
      "webhook gets it for rotate. Nothing changes."
  },
  {
    id: "PRV-17",
    sections: ["4.2"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "mutate-own",
    needs: ["limited tokens", "credential body"],
    text: "For the calls of PRV-16, READ by itself is too little: 403."
  },
  {
    id: "PRV-18",
    sections: ["4.2"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "read",
    needs: [],
    text:
      "There are `/recruitment-checks`, `/fetch-requests`, `/exemptions`, `/webhooks` and `/bans`, or the paths " +
      "that the profile gives for them: no 404."
  }
] as const satisfies ReadonlyArray<Rule>
