import type { Rule } from "./Rule.ts"

/** EVT: webhooks and deliveries. */
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
      "After a verify with `forceRefresh: true`, a delivery arrives with the same `correlationId` in its body or " +
      "headers. (Where: SIL-12.)"
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
    text: "After a verifiable credential is created, a delivery arrives with the `meta.correlationId` of the create."
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
    text: "Every delivery has a delivery id in the header `X-Service-Delivery`."
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
    text: "Two events have different delivery ids."
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
    text: "A failed delivery is retried with the same delivery id and correlation id."
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
    text: "A redriven delivery keeps its delivery id."
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
    text: "Every delivery is signed by HMAC with the secret of its webhook."
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
    text: "`POST webhooks/{id}/rotate` returns a new secret that differs from the old one."
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
    text: "A signing secret is shown once: no later response shows it."
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
    text: "Deliveries after a rotation are signed with the new secret, or with the old one during the changeover window."
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
    text: "Receivers accept both secrets for at least 24 hours after a rotation.",
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
    text: "Receivers verify the signature before they trust a delivery, and process each delivery id once.",
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
    text: "An event is delivered only to webhooks of its own tenant."
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
    text: "The deliveries of EVT-01 and EVT-02 name their kind, `credential.verified`."
  }
] as const satisfies ReadonlyArray<Rule>
