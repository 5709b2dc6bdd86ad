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
    text:
      "With Basic, `GET users/me` shows the user: an integer `id`, and `email`, `first_name`, `surname`, " +
      "`organization`."
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
    text: "With Basic, the `organization` of the user has an `id` and a `name`, and nothing else."
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
    text: "With Bearer, the user has `is_verified`, a boolean, as well."
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
      "Basic and an empty `POST users/{id}/token`, for the id that `users/me` shows, bring `token`, `iat` and " +
      "`exp`."
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
    text: "The `token` is a JWT: three parts with dots between them."
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
    text: "Both the answer and the payload of its JWT have `iat` and `exp`, whole Unix seconds, the first the earlier."
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
    text: "From `iat` to `exp` it is 30 days, or the lifetime that the profile names."
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
    text: "Reading the token path with `GET` is 404."
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
    text: "The token path of an id that belongs to nobody is 404. (Of another user's: SIL-24.)"
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
      "With Bearer, `GET organizations/me` shows the organization that `users/me` names: integer `id`, `name`, " +
      "`abn`, boolean `is_active`. (Further fields: SIL-22.)"
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
    text: "With Bearer, `POST scan` with the four strings `type`, `identifier`, `first_name` and `surname` is 2xx."
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
    text: "With Bearer, `GET constituents` is neither 401 nor 404 nor 5xx."
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
    text: "Basic opens none of `organizations/me`, `scan` and `constituents`: 401 or 403."
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
    text: "Bearer opens `users/me`, `organizations/me`, `scan` and `constituents`. (The token path: SIL-24.)"
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
    text:
      "A bearer token that is none is 401, with a body of `status` 401, a `message`, and `field` being " +
      "`authentication`."
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
    text: "A bearer token past its `exp` is refused in the words of LEG-16."
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
    text: "A call with no credentials, and one with a wrong password, is 401."
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
    text: "Where tokens can be revoked early, a revoked one is refused as LEG-16 says."
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
    text: "A call that the user's role does not allow is 403."
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
    text: "What belongs to another organization is 403."
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
      "While an account is not verified, `organizations/me`, `scan` and `constituents` are 403, unless the token " +
      "exchange is already. (Which: SIL-24.)"
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
    text: "A client gets itself a new token after a 401; it may do so once less than 5 minutes are left.",
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
    text: "What becomes of a token that is still good when the same user obtains another."
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
    text: "Clients keep Basic for two calls: `users/me` and the token path.",
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
    text: "No 401 of this surface is without a body of `status`, `message` and `field`, where `status` is 401."
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
    text: "The `email` shown is the name that Basic was given, capitals aside."
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
    text: "A user with the least of roles gets a token for Basic as well, and sees in `users/me` the one organization."
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
    text:
      "The times in the answer are those in the JWT, and `iat` is no further than 5 minutes from the answer's " +
      "`Date`."
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
    text: "With a wrong password, neither `users/me` nor the token path is a 2xx."
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
    text: "No call is a 2xx with a token that the profile names as revoked."
  }
] as const satisfies ReadonlyArray<Rule>
