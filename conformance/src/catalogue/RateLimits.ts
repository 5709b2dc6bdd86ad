import type { Rule } from "./Rule.ts"

/** RTL: rate limits of the newer surface. */
export const rateLimits = [
  {
    id: "RTL-01",
    sections: ["8"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "every exchange",
    impact: "read",
    needs: [],
    text:
      "On the newer surface, every authenticated response, errors included, has `X-RateLimit-Limit`, " +
      "`X-RateLimit-Remaining` and `X-RateLimit-Reset`. Each is a non-negative number."
  },
  {
    id: "RTL-02",
    sections: ["8"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "read",
    needs: [],
    text: "Within a window, `Remaining` falls over similar calls. It never exceeds `Limit`."
  },
  {
    id: "RTL-03",
    sections: ["8"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "read",
    needs: [],
    text: "`Reset` is the number of seconds until the limit resets. A Unix time is a warning."
  },
  {
    id: "RTL-04",
    sections: ["7.1", "8"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "exhaust",
    needs: ["leave to exhaust a limit"],
    text:
      "A call over the limit is 429 `TOO_MANY_REQUESTS` with `Retry-After` in seconds. The error is in the " +
      "envelope, or in the token endpoint's own shape there."
  },
  {
    id: "RTL-05",
    sections: ["8"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "exhaust",
    needs: ["leave to exhaust a limit"],
    text: "Calls succeed again after `Retry-After`."
  },
  {
    id: "RTL-06",
    sections: ["8"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "exhaust",
    needs: ["leave to exhaust a limit"],
    text: "A call that is refused with 429 has no effect."
  },
  {
    id: "RTL-07",
    sections: ["8"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "read",
    needs: [],
    text: "The number of rate limit tiers, seen as different `X-RateLimit-Limit` values by endpoint or account."
  },
  {
    id: "RTL-08",
    sections: ["8"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "every exchange",
    impact: "read",
    needs: [],
    text: "The three headers are also on a 401 without an envelope and on responses of the token endpoint."
  }
] as const satisfies ReadonlyArray<Rule>
