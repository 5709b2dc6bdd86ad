import { must, should } from "./Rule.ts"

/** EVT: webhooks and deliveries. */
export const events = [
  must("EVT-01", "§6").byAnswers(
    "After a verify with `forceRefresh: true`, a delivery arrives with the same `correlationId` in its body or " +
      "headers. (Where: SIL-12.)"
  ),
  must("EVT-02", "§6").byAnswers(
    "After a verifiable credential is created, a delivery arrives with the `meta.correlationId` of the create."
  ),
  must("EVT-03", "§6").byAnswers("Every delivery has a delivery id in the header `X-Service-Delivery`."),
  must("EVT-04", "§6").byAnswers("Two events have different delivery ids."),
  must("EVT-05", "§6").byAnswers("A failed delivery is retried with the same delivery id and correlation id."),
  must("EVT-06", "§6").byAnswers("A redriven delivery keeps its delivery id."),
  must("EVT-07", "§6").byAnswers("Every delivery is signed by HMAC with the secret of its webhook."),
  must("EVT-08", "§4.2 §6", "newer").byAnswers(
    "`POST webhooks/{id}/rotate` returns a new secret that differs from the old one."
  ),
  must("EVT-09", "§6", "newer").byAnswers("A signing secret is shown once: no later response shows it."),
  must("EVT-10", "§6").byAnswers(
    "Deliveries after a rotation are signed with the new secret, or with the old one during the changeover window."
  ),
  must("EVT-11", "§6").elsewhere(
    "receiver library",
    "Receivers accept both secrets for at least 24 hours after a rotation."
  ),
  must("EVT-12", "§6").elsewhere(
    "receiver library",
    "Receivers verify the signature before they trust a delivery, and process each delivery id once."
  ),
  should("EVT-13", "§1").byAnswers("An event is delivered only to webhooks of its own tenant."),
  must("EVT-14", "§2.2", "newer").byAnswers("A webhook has an `id`."),
  should("EVT-15", "§6").byAnswers("The deliveries of EVT-01 and EVT-02 name their kind, `credential.verified`.")
]
