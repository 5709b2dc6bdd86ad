import type { Rule } from "./Rule.ts"

/**
 * PRV: privileges, on the entity types worker, credential, credentialCheck, captureRequest, exemption, webhook and ban.
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
    text: "Without READ on an entity type, `GET` on its group is 403 `FORBIDDEN`."
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
    text: "Without CREATE on an entity type, the `POST` that creates one is 403 `FORBIDDEN`."
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
      "Without UPDATE on an entity type, every PATCH and PUT of its group is 403 `FORBIDDEN`. (A method that the " +
      "group lacks: 403, 404 or 405.)"
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
      "Without DELETE on an entity type, `DELETE` on its group is 403 `FORBIDDEN`. (In a group without DELETE: " +
      "403, 404 or 405.)"
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
    text: "A token with one privilege may perform that operation. The other three operations are 403."
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
    text: "A privilege on one entity type grants nothing on another. This holds for every pair of types."
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
    text: "Privileges are checked first: a call that lacks one and has an invalid body is 403, not 400."
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
    text: "Privileges are checked first: a call that lacks one and names an unknown id is 403, not 404."
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
    text: "A call that is refused because of a missing privilege changes nothing."
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
      "The message of a 403 is `<account_urn> is unauthorized to <OPERATION> <entities>.`. It names the caller's " +
      "own URN and the refused operation. A different text is only a warning (§9)."
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
    text: "A re-issued token with the same privileges is refused the same calls."
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
      "Bans are read-only: READ permits reading them, and no privilege permits creating, changing or deleting one. " +
      '(Section 1 says "manage", the table in 4.2 says READ only; the table applies.)'
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
    text: "`/workers` and `/credentials` exist: an authorized `GET` is 200."
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
      "`/applicants` and `/screening-packages`, or the paths that the profile gives for them, exist. They are " +
      "guarded like other groups and are not 404."
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
    text: "The audit history attributes the actions of every OAuth client to the one service account."
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
      "Operations beyond plain methods are guarded too. A token without any privilege on credential gets 403 " +
      "`FORBIDDEN` for link, unlink, transfer, verify, bulk link and bulk transfer. A token without any privilege " +
      "on webhook gets it for rotate. Nothing changes."
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
    text: "READ alone does not permit the operations of PRV-16: 403."
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
      "`/recruitment-checks`, `/fetch-requests`, `/exemptions`, `/webhooks` and `/bans`, or the paths that the " +
      "profile gives for them, exist: not 404."
  }
] as const satisfies ReadonlyArray<Rule>
