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
      "On the newer surface, every response to somebody who is authenticated, errors too, has three headers: " +
      "`X-RateLimit-Limit`, `X-RateLimit-Remaining`, `X-RateLimit-Reset`, all of them numbers that are not " +
      "negative."
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
    text: "While one window lasts, equal calls make `Remaining` fall, and `Limit` is never below it."
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
    text: "`Reset` counts the seconds that are left; a time in Unix seconds is a warning."
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
      "Beyond the limit there is 429 `TOO_MANY_REQUESTS`, in the envelope (at the token endpoint in that endpoint's " +
      "shape), and `Retry-After` in seconds."
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
    text: "Once `Retry-After` has passed, calls are carried out again."
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
    text: "A call that got 429 had no effect."
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
    text: "How many tiers show themselves, by differing `X-RateLimit-Limit` values between endpoints or accounts."
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
    text:
      '"Every response", taken literally: the three headers are on a 401 from in front of the envelope, and on what ' +
      "the token endpoint answers."
  }
] as const satisfies ReadonlyArray<Rule>
