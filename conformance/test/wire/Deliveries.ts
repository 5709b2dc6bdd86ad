import type { Exchange } from "@wcs/conformance/wire/Exchange"

/** A delivery with this body and these headers. */
export const delivery = (body: string, headers: Readonly<Record<string, string>>): Exchange => ({
  number: 1,
  lastSent: 1,
  walk: "events/one",
  step: 1,
  kind: "delivery",
  principal: null,
  request: { method: "POST", url: "http://127.0.0.1:8099/address", headers: Object.entries(headers), body },
  answer: { status: 200, headers: {}, text: "", json: undefined },
  silence: null,
  startedAt: 0,
  millis: 0
})
