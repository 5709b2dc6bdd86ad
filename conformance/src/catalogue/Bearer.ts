import type { Rule } from "./Rule.ts"

/** AUT: bearer authentication on the newer surface. */
export const bearer = [
  {
    id: "AUT-01",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "create",
    needs: [],
    text: "A call without an `Authorization` header is 401 in every group."
  },
  {
    id: "AUT-02",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "read",
    needs: [],
    text: "An `Authorization` header without the Bearer prefix is 401: Basic, or a token alone."
  },
  {
    id: "AUT-03",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "read",
    needs: [],
    text: "The Bearer prefix is case-insensitive: `bearer`, `BEARER`, `BeArEr`."
  },
  {
    id: "AUT-04",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "read",
    needs: [],
    text: "A malformed token is 401: random text, a truncated JWT, a changed payload or signature, `alg: none`."
  },
  {
    id: "AUT-05",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "read",
    needs: ["expired token"],
    text: "An expired token is 401."
  },
  {
    id: "AUT-06",
    sections: ["7.1"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "read",
    needs: [],
    text: "A 401 has the message `Unauthorized to perform this action`. A different text is only a warning (§9)."
  },
  {
    id: "AUT-07",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "read",
    needs: [],
    text: "A 401 has no error `code`, because it is raised before the envelope is built."
  },
  {
    id: "AUT-08",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "read",
    needs: ["personal token"],
    text: "The same header accepts a personal access token."
  },
  {
    id: "AUT-09",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "create",
    needs: ["limited tokens"],
    text: "A personal token has exactly the privileges of the user who created it."
  },
  {
    id: "AUT-10",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: ["personal token", "OAuth client"],
    text: "All endpoints treat both kinds of token the same. A call has the same status and shape with either."
  },
  {
    id: "AUT-11",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "read",
    needs: ["rotated token"],
    text: "During a rotation the old personal token and the new one are both valid, until the old one is revoked."
  },
  {
    id: "AUT-12",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "read",
    needs: ["revoked personal token"],
    text: "A revoked personal token is 401. Other tokens stay valid."
  },
  {
    id: "AUT-13",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "console",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: ["access token body"],
    text: "A personal token is shown once, when it is created. No later response shows it."
  },
  {
    id: "AUT-14",
    sections: ["5.2"],
    level: "MAY",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "read",
    needs: ["external identity provider"],
    text: "A deployment with an external identity provider also accepts bearer tokens of that provider."
  },
  {
    id: "AUT-15",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: ["user with it enrolled"],
    text: "Multifactor authentication does not apply to the API. A token of an enrolled user works like any other."
  },
  {
    id: "AUT-16",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "console",
    surface: "newer",
    judged: "answers",
    impact: "read",
    needs: ["web login by SAML"],
    text: "The web application supports login by SAML single sign-on."
  },
  {
    id: "AUT-17",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "console",
    surface: "newer",
    judged: "answers",
    impact: "read",
    needs: ["web login with TOTP"],
    text: "The web application supports login with TOTP codes of six digits that change every 30 seconds."
  }
] as const satisfies ReadonlyArray<Rule>
