import type { Rule } from "./Rule.ts"

/** EVT: webhooks and what is delivered to them. */
export const events = [
  {
    id: "EVT-01",
    sections: ["6"],
    level: "MUST",
    keptBy: "server",
    surface: "events",
    judged: "answers",
    impact: "mutate-own",
    needs: ["receiver", "webhook body", "verifiable credential"],
    text:
      "A verify with `forceRefresh: true` is followed by a delivery that has its `correlationId`, somewhere in body " +
      "or headers. (Where: SIL-12.)"
  },
  {
    id: "EVT-02",
    sections: ["6"],
    level: "MUST",
    keptBy: "server",
    surface: "events",
    judged: "answers",
    impact: "mutate-own",
    needs: ["receiver", "webhook body", "verifiable credential"],
    text: "Making a verifiable credential is followed by a delivery that has the `meta.correlationId` of the create."
  },
  {
    id: "EVT-03",
    sections: ["6"],
    level: "MUST",
    keptBy: "server",
    surface: "events",
    judged: "answers",
    impact: "mutate-own",
    needs: ["receiver", "webhook body"],
    text: "The header `X-Service-Delivery` of a delivery is its delivery id."
  },
  {
    id: "EVT-04",
    sections: ["6"],
    level: "MUST",
    keptBy: "server",
    surface: "events",
    judged: "answers",
    impact: "mutate-own",
    needs: ["receiver", "webhook body"],
    text: "No two events share a delivery id."
  },
  {
    id: "EVT-05",
    sections: ["6"],
    level: "MUST",
    keptBy: "server",
    surface: "events",
    judged: "answers",
    impact: "mutate-own",
    needs: ["receiver", "webhook body"],
    text: "A delivery that failed is tried again under the delivery id and the correlation id that it had."
  },
  {
    id: "EVT-06",
    sections: ["6"],
    level: "MUST",
    keptBy: "server",
    surface: "events",
    judged: "answers",
    impact: "mutate-own",
    needs: ["receiver", "webhook body", "redrive path"],
    text: "A delivery that is driven again by hand keeps its delivery id."
  },
  {
    id: "EVT-07",
    sections: ["6"],
    level: "MUST",
    keptBy: "server",
    surface: "events",
    judged: "answers",
    impact: "mutate-own",
    needs: ["receiver", "webhook body", "the secret's place", "signature scheme"],
    text: "Deliveries are signed, by HMAC with the secret of the webhook."
  },
  {
    id: "EVT-08",
    sections: ["4.2", "6"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["webhook body", "the secret's place"],
    text: "`POST webhooks/{id}/rotate` answers a secret that is not the former one."
  },
  {
    id: "EVT-09",
    sections: ["6"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["webhook body"],
    text: "A secret is seen in the answer that makes it, and in none that comes later."
  },
  {
    id: "EVT-10",
    sections: ["6"],
    level: "MUST",
    keptBy: "server",
    surface: "events",
    judged: "answers",
    impact: "mutate-own",
    needs: ["receiver", "webhook body", "the secret's place", "signature scheme"],
    text:
      "What is delivered after a rotation is signed with the new secret or, while the changeover lasts, with the " +
      "old one."
  },
  {
    id: "EVT-11",
    sections: ["6"],
    level: "MUST",
    keptBy: "client",
    surface: "events",
    judged: "elsewhere",
    impact: "read",
    needs: [],
    text: "After a rotation, receivers take both secrets for 24 hours or longer.",
    keptAt: "receiver library"
  },
  {
    id: "EVT-12",
    sections: ["6"],
    level: "MUST",
    keptBy: "client",
    surface: "events",
    judged: "elsewhere",
    impact: "read",
    needs: [],
    text: "Receivers check the signature before they believe a delivery, and treat a delivery id once.",
    keptAt: "receiver library"
  },
  {
    id: "EVT-13",
    sections: ["1"],
    level: "SHOULD",
    keptBy: "server",
    surface: "events",
    judged: "answers",
    impact: "mutate-own",
    needs: ["receiver", "webhook body", "second tenant"],
    text: "A tenant's events reach the webhooks of that tenant and no others."
  },
  {
    id: "EVT-14",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["webhook body"],
    text: "A webhook has an `id`."
  },
  {
    id: "EVT-15",
    sections: ["6"],
    level: "SHOULD",
    keptBy: "server",
    surface: "events",
    judged: "answers",
    impact: "mutate-own",
    needs: ["receiver", "webhook body", "verifiable credential"],
    text: "The deliveries of EVT-01 and EVT-02 say what they are: `credential.verified`."
  }
] as const satisfies ReadonlyArray<Rule>
