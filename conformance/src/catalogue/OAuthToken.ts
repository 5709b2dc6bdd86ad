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
    text: "A form with `grant_type=client_credentials`, the client id and the secret is 200."
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
    text: "The form is also 200 if a Basic header carries the client id and secret instead of the body."
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
    text: "The `access_token` is a JWT: three parts separated by dots."
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
    text: "The `token_type` is `Bearer`."
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
    text: "`expires_in` is a positive integer of seconds. The API accepts the token for that time."
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
    text: "`expires_in` is 3600, or the lifetime that the profile declares."
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
    text: "Client credentials in the body override a Basic header: valid ones in the body and invalid Basic are 200."
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
    text: "Client credentials in the body override a Basic header: invalid ones in the body and valid Basic are 401."
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
    text: "A request with valid client credentials and no `grant_type` is 400 `unsupported_grant_type`."
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
      "Any other `grant_type` (`password`, `authorization_code`, `refresh_token`) with valid client credentials is " +
      "400 `unsupported_grant_type`."
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
    text: "An unknown client id is 401 `invalid_client`."
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
    text: "A known client id with a wrong secret is 401 `invalid_client`."
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
    text: "A revoked client is 401 `invalid_client`."
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
    text: 'The response to failed Basic authentication has `WWW-Authenticate: Basic realm="service-oauth"`.'
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
    text: "Errors of the token endpoint have the strings `error` and `error_description` and are not in the envelope."
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
    text: "No response of the token endpoint contains a refresh token."
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
    text: "Every client id starts with the name of the service and `_oauth_`."
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
    text: "OAuth clients have no scopes. Tokens of all clients act as one account that has every privilege."
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
    text: "A client renews a token by requesting another. The new token works, and the earlier one works until it expires."
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
    text: "The token endpoint rejects a JSON body with a 4xx in its own error shape."
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
    text: "A client reads `expires_in` and renews a token by requesting a new one.",
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
      "The paths `oauth/<provider>/…` set up integrations and authenticate no callers. A token that they return is " +
      "401 as a bearer token."
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
      "The secret of an OAuth client is shown once, when the client is created. No later response shows it. A lost " +
      "secret requires a new client."
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
    text: "A response that contains a token has `Cache-Control: no-store`."
  }
] as const satisfies ReadonlyArray<Rule>
