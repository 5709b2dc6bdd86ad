import type { Rule } from "./Rule.ts"

/** OAU: the OAuth token endpoint. */
export const oauthToken = [
  {
    id: "OAU-01",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "token endpoint",
    judged: "answers",
    impact: "read",
    needs: ["OAuth client"],
    text: "A `client_credentials` form that carries the id and the secret is 200."
  },
  {
    id: "OAU-02",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "token endpoint",
    judged: "answers",
    impact: "read",
    needs: ["OAuth client"],
    text: "The same form is 200 with the id and the secret in a Basic header and not in the body."
  },
  {
    id: "OAU-03",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "token endpoint",
    judged: "answers",
    impact: "read",
    needs: ["OAuth client"],
    text: "The `access_token` is a JWT: three parts with dots between them."
  },
  {
    id: "OAU-04",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "token endpoint",
    judged: "answers",
    impact: "read",
    needs: ["OAuth client"],
    text: "The `token_type` reads `Bearer`."
  },
  {
    id: "OAU-05",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "token endpoint",
    judged: "answers",
    impact: "read",
    needs: ["OAuth client"],
    text: "`expires_in` is a whole number of seconds above zero, and until they have passed the token opens the API."
  },
  {
    id: "OAU-06",
    sections: ["2.2", "8"],
    level: "SHOULD",
    keptBy: "server",
    surface: "token endpoint",
    judged: "answers",
    impact: "read",
    needs: ["OAuth client"],
    text: "`expires_in` is 3600, unless the profile names another lifetime."
  },
  {
    id: "OAU-07",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "token endpoint",
    judged: "answers",
    impact: "read",
    needs: ["OAuth client"],
    text:
      "Of two sets of client credentials the body's count: the right ones there are 200 beside a wrong Basic " +
      "header."
  },
  {
    id: "OAU-08",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "token endpoint",
    judged: "pair",
    impact: "read",
    needs: ["OAuth client"],
    text: "Of two sets of client credentials the body's count: wrong ones there are 401 beside a right Basic header."
  },
  {
    id: "OAU-09",
    sections: ["7.2"],
    level: "MUST",
    keptBy: "server",
    surface: "token endpoint",
    judged: "pair",
    impact: "read",
    needs: ["OAuth client"],
    text: "A good client that says no `grant_type` gets 400 `unsupported_grant_type`."
  },
  {
    id: "OAU-10",
    sections: ["5.2", "7.2"],
    level: "MUST",
    keptBy: "server",
    surface: "token endpoint",
    judged: "pair",
    impact: "read",
    needs: ["OAuth client"],
    text:
      "A good client that asks for another grant (`password`, `authorization_code`, `refresh_token`) gets 400 " +
      "`unsupported_grant_type`."
  },
  {
    id: "OAU-11",
    sections: ["7.2"],
    level: "MUST",
    keptBy: "server",
    surface: "token endpoint",
    judged: "pair",
    impact: "read",
    needs: [],
    text: "A client id that nobody has is 401 `invalid_client`."
  },
  {
    id: "OAU-12",
    sections: ["7.2"],
    level: "MUST",
    keptBy: "server",
    surface: "token endpoint",
    judged: "pair",
    impact: "read",
    needs: ["OAuth client"],
    text: "A client's id with a secret that is not its own is 401 `invalid_client`."
  },
  {
    id: "OAU-13",
    sections: ["7.2"],
    level: "MUST",
    keptBy: "server",
    surface: "token endpoint",
    judged: "pair",
    impact: "read",
    needs: ["revoked OAuth client"],
    text: "A client that was revoked is 401 `invalid_client`."
  },
  {
    id: "OAU-14",
    sections: ["7.2"],
    level: "MUST",
    keptBy: "server",
    surface: "token endpoint",
    judged: "answers",
    impact: "read",
    needs: [],
    text: 'Where Basic was tried and failed, `WWW-Authenticate` is `Basic realm="service-oauth"`.'
  },
  {
    id: "OAU-15",
    sections: ["7.2"],
    level: "MUST",
    keptBy: "server",
    surface: "token endpoint",
    judged: "every exchange",
    impact: "read",
    needs: [],
    text: "The endpoint's errors have `error` and `error_description`, two strings, and are not in the envelope."
  },
  {
    id: "OAU-16",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "server",
    surface: "token endpoint",
    judged: "answers",
    impact: "read",
    needs: ["OAuth client"],
    text: "No answer hands out a refresh token."
  },
  {
    id: "OAU-17",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "server",
    surface: "token endpoint",
    judged: "answers",
    impact: "read",
    needs: ["OAuth client"],
    text: "Every client id begins with the name of the service and `_oauth_`."
  },
  {
    id: "OAU-18",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: ["two OAuth clients"],
    text:
      "A client narrows nothing: whatever client obtained it, a token acts as the one account that may do " +
      "everything."
  },
  {
    id: "OAU-19",
    sections: ["5.2"],
    level: "SHOULD",
    keptBy: "server",
    surface: "token endpoint",
    judged: "answers",
    impact: "read",
    needs: ["OAuth client"],
    text: "A token is renewed by asking once more: the new one works, and so does the old one to its end."
  },
  {
    id: "OAU-20",
    sections: ["4.2"],
    level: "SHOULD",
    keptBy: "server",
    surface: "token endpoint",
    judged: "pair",
    impact: "read",
    needs: ["OAuth client"],
    text: "JSON is no grant: such a body is a 4xx, in the shape that the endpoint's errors have."
  },
  {
    id: "OAU-21",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "client",
    surface: "token endpoint",
    judged: "elsewhere",
    impact: "read",
    needs: [],
    text: "A client goes by `expires_in`, and renews a token by asking for one again.",
    keptAt: "client library"
  },
  {
    id: "OAU-22",
    sections: ["4.2"],
    level: "MAY",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "read",
    needs: ["provider paths"],
    text:
      "The paths `oauth/<provider>/…` set up integrations and log nobody in: what they hand out is 401 as a bearer " +
      "token."
  },
  {
    id: "OAU-23",
    sections: ["5.2"],
    level: "MUST",
    keptBy: "console",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: ["API client body"],
    text:
      "The secret of an OAuth client is shown once, when the client is made. No later answer shows it: a lost secret is " +
      "replaced by a new client."
  },
  {
    id: "OAU-24",
    sections: ["5.2"],
    level: "SHOULD",
    keptBy: "server",
    surface: "token endpoint",
    judged: "answers",
    impact: "read",
    needs: ["OAuth client"],
    text: "An answer with a token has `Cache-Control: no-store`."
  }
] as const satisfies ReadonlyArray<Rule>
