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
    text: "Whatever the group, a call with no `Authorization` header is 401."
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
    text: "A header that lacks the word Bearer, be it Basic or a token by itself, is 401."
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
    text: "The word Bearer counts in any mixture of capitals: `bearer`, `BEARER`, `BeArEr`."
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
    text:
      "What is no sound token is 401: noise, a JWT cut short, one whose payload or signature was altered, one of " +
      "`alg: none`."
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
    text: "A token whose time has run out is 401."
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
    text: "A 401 says `Unauthorized to perform this action`. Texts may change (§9), so another is a warning."
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
    text: "A 401 comes from in front of the envelope, so no error `code` is in it."
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
    text: "The header takes a personal access token just as it takes one from OAuth."
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
    text: "A personal token may do what the user who made it may do, neither more nor less."
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
    text: "No endpoint tells the two kinds of token apart: one call has one status and one shape for both."
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
    text: "Until the old personal token is revoked, a rotation leaves it and the new one good side by side."
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
    text: "Revoking a personal token makes that one a 401, and no other."
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
    text: "A personal token is shown once, when it is made. No later answer shows it."
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
    text: "Where an outside identity provider is connected, its bearer tokens are taken too."
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
    text: "A second factor is nothing to the API: for a user who has enrolled one, a token works as for anybody."
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
    text: "People can log in to the web application by SAML single sign-on."
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
    text: "People can log in to the web application with TOTP codes of six digits that last 30 seconds each."
  }
] as const satisfies ReadonlyArray<Rule>
