import type { Rule } from "./Rule.ts"

/** LEG: the legacy surface. */
export const legacy = [
  {
    id: "LEG-01",
    sections: ["2.1", "4.1"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "answers",
    impact: "read",
    needs: ["legacy user"],
    text: "`GET users/me` with Basic returns the user: integer `id`, `email`, `first_name`, `surname`, `organization`."
  },
  {
    id: "LEG-02",
    sections: ["2.1"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "answers",
    impact: "read",
    needs: ["legacy user"],
    text: "With Basic, the user's `organization` has `id` and `name` and no other fields."
  },
  {
    id: "LEG-03",
    sections: ["2.1"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "answers",
    impact: "read",
    needs: ["legacy user"],
    text: "With Bearer, the user also has a boolean `is_verified`."
  },
  {
    id: "LEG-04",
    sections: ["2.1"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "answers",
    impact: "read",
    needs: ["legacy user"],
    text: "With Bearer, the user's `organization` is complete: integer `id`, `name`, `abn`, boolean `is_active`."
  },
  {
    id: "LEG-05",
    sections: ["2.1", "4.1"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "answers",
    impact: "read",
    needs: ["legacy user"],
    text:
      "`POST users/{id}/token` with Basic and no body returns `token`, `iat` and `exp`. The `id` is the one from " +
      "`users/me`."
  },
  {
    id: "LEG-06",
    sections: ["2.1"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "answers",
    impact: "read",
    needs: ["legacy user"],
    text: "The `token` is a JWT: three parts separated by dots."
  },
  {
    id: "LEG-07",
    sections: ["2.1"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "answers",
    impact: "read",
    needs: ["legacy user"],
    text: "The response body and the JWT payload both have integer `iat` and `exp` in Unix seconds. `iat` is before `exp`."
  },
  {
    id: "LEG-08",
    sections: ["5.1", "8"],
    level: "SHOULD",
    keptBy: "server",
    surface: "legacy",
    judged: "answers",
    impact: "read",
    needs: ["legacy user"],
    text: "The token lifetime (`exp` minus `iat`) is 30 days, or the lifetime that the profile declares."
  },
  {
    id: "LEG-09",
    sections: ["4.1"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "pair",
    impact: "read",
    needs: ["legacy user"],
    text: "`GET` on the token path is 404."
  },
  {
    id: "LEG-10",
    sections: ["4.1"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "pair",
    impact: "read",
    needs: ["legacy user"],
    text: "The token path with an unknown user id is 404. (Another user's id: SIL-24.)"
  },
  {
    id: "LEG-11",
    sections: ["2.1", "4.1"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "answers",
    impact: "read",
    needs: ["legacy user"],
    text:
      "`GET organizations/me` with Bearer returns the organization of `users/me`: integer `id`, `name`, `abn`, " +
      "boolean `is_active`. (More fields: SIL-22.)"
  },
  {
    id: "LEG-12",
    sections: ["4.1"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "answers",
    impact: "irreversible",
    needs: ["legacy user", "scan body"],
    text: "`POST scan` with Bearer and the strings `type`, `identifier`, `first_name` and `surname` is 2xx."
  },
  {
    id: "LEG-13",
    sections: ["4.1"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "answers",
    impact: "read",
    needs: ["legacy user"],
    text: "`GET constituents` with Bearer is not 401, 404 or 5xx."
  },
  {
    id: "LEG-14",
    sections: ["5.1"],
    level: "SHOULD",
    keptBy: "server",
    surface: "legacy",
    judged: "pair",
    impact: "irreversible",
    needs: ["legacy user"],
    text: "Basic on `organizations/me`, `scan` and `constituents` is 401 or 403."
  },
  {
    id: "LEG-15",
    sections: ["4.1", "5.1"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "answers",
    impact: "irreversible",
    needs: ["legacy user"],
    text: "Bearer is accepted on `users/me`, `organizations/me`, `scan` and `constituents`. (The token path: SIL-24.)"
  },
  {
    id: "LEG-16",
    sections: ["5.1", "7.3"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "answers",
    impact: "read",
    needs: ["legacy surface"],
    text: "An invalid bearer token is 401. The body has `status` 401, a `message`, and `field` equal to `authentication`."
  },
  {
    id: "LEG-17",
    sections: ["5.1", "7.3"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "pair",
    impact: "read",
    needs: ["legacy user", "expired legacy token"],
    text: "An expired bearer token is 401 with the body of LEG-16."
  },
  {
    id: "LEG-18",
    sections: ["5.1", "7.3"],
    level: "SHOULD",
    keptBy: "server",
    surface: "legacy",
    judged: "pair",
    impact: "read",
    needs: ["legacy user"],
    text: "A request without credentials is 401, and so is one with a wrong password."
  },
  {
    id: "LEG-19",
    sections: ["5.1"],
    level: "MAY",
    keptBy: "server",
    surface: "legacy",
    judged: "pair",
    impact: "read",
    needs: ["legacy user", "revoked legacy token"],
    text: "If a deployment can revoke tokens before their expiry, a revoked token is 401 with the body of LEG-16."
  },
  {
    id: "LEG-20",
    sections: ["5.1"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "pair",
    impact: "create",
    needs: ["legacy user", "legacy user without permission"],
    text: "A call that the user's role does not permit is 403."
  },
  {
    id: "LEG-21",
    sections: ["5.1"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "pair",
    impact: "create",
    needs: ["legacy user", "second organization's resource"],
    text: "A call to another organization's resource is 403."
  },
  {
    id: "LEG-22",
    sections: ["5.1"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "pair",
    impact: "irreversible",
    needs: ["legacy user", "unverified legacy user"],
    text:
      "An unverified account gets 403 on `organizations/me`, `scan` and `constituents`, or already on the token " +
      "exchange. (Which: SIL-24.)"
  },
  {
    id: "LEG-23",
    sections: ["5.1"],
    level: "SHOULD",
    keptBy: "client",
    surface: "legacy",
    judged: "elsewhere",
    impact: "read",
    needs: [],
    text: "A client requests a new token after a 401. It may do so earlier, when fewer than 5 minutes remain.",
    keptAt: "client library"
  },
  {
    id: "LEG-24",
    sections: ["5.1"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "legacy",
    judged: "observation",
    impact: "read",
    needs: ["legacy user"],
    text: "Whether an earlier, unexpired token stays valid after the same user obtains a new one."
  },
  {
    id: "LEG-25",
    sections: ["5.1"],
    level: "MUST",
    keptBy: "client",
    surface: "legacy",
    judged: "elsewhere",
    impact: "read",
    needs: [],
    text: "A client sends Basic only to `users/me` and the token path.",
    keptAt: "client library"
  },
  {
    id: "LEG-26",
    sections: ["7.3"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "every exchange",
    impact: "read",
    needs: ["legacy user"],
    text: "Every 401 of the legacy surface has a body with `status`, `message` and `field`, where `status` is 401."
  },
  {
    id: "LEG-27",
    sections: ["2.1"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "answers",
    impact: "read",
    needs: ["legacy user"],
    text: "`email` equals the user name sent with Basic, ignoring letter case."
  },
  {
    id: "LEG-28",
    sections: ["1"],
    level: "SHOULD",
    keptBy: "server",
    surface: "legacy",
    judged: "answers",
    impact: "read",
    needs: ["legacy user without permission"],
    text: "A user with the lowest role can also exchange Basic for a token. `users/me` shows the user one organization."
  },
  {
    id: "LEG-29",
    sections: ["2.1"],
    level: "SHOULD",
    keptBy: "server",
    surface: "legacy",
    judged: "answers",
    impact: "read",
    needs: ["legacy user"],
    text: "`iat` and `exp` of the response body equal those of the JWT. `iat` is within 5 minutes of the `Date` header."
  },
  {
    id: "LEG-30",
    sections: ["5.1"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "pair",
    impact: "read",
    needs: ["legacy user"],
    text: "A wrong password never gets a 2xx on `users/me` or the token path."
  },
  {
    id: "LEG-31",
    sections: ["5.1"],
    level: "MUST",
    keptBy: "server",
    surface: "legacy",
    judged: "pair",
    impact: "read",
    needs: ["legacy user", "revoked legacy token"],
    text: "A token that the profile declares revoked never gets a 2xx."
  }
] as const satisfies ReadonlyArray<Rule>
