import { assert, describe, it } from "@effect/vitest"
import { deliveryIdOf, hasDeliveryId, hasSameId, positionsOf, says } from "@wcs/conformance/calls/Deliveries"
import { delivery } from "./Deliveries.ts"

const kinds = (met: ReadonlyArray<{ readonly kind: string; readonly at: string }>) =>
  met.map(({ at, kind }) => `${kind} at ${at}`)

describe("the content of a delivery", () => {
  it("EVT-01, EVT-15: is found anywhere in body and headers", () => {
    const id = "conf-abc-12"
    assert.deepStrictEqual(positionsOf(delivery(JSON.stringify({ a: [{ b: id }] }), {}), id), ["body.a.0.b"])
    assert.deepStrictEqual(positionsOf(delivery("{}", { "X-Correlation-Id": id }), id), ["header x-correlation-id"])
    assert.deepStrictEqual(positionsOf(delivery(`a=b&id=${id}&c=d`, {}), id), ["body"])
    assert.deepStrictEqual(positionsOf(delivery(JSON.stringify(`urn:${id}`), {}), id), ["body"])
    assert.isFalse(says(id)(delivery("{}", {})))
  })

  it("matches whole words only: an id does not match a longer one", () => {
    assert.isFalse(says("conf-abc-1")(delivery('{"id":"conf-abc-12"}', {})))
    assert.isFalse(says("conf-abc-1")(delivery('{"id":"xconf-abc-1"}', {})))
    assert.isTrue(says("conf-abc-1")(delivery('{"id":"conf-abc-12 conf-abc-1"}', {})))
  })
})

describe("a delivery id", () => {
  it("EVT-03: is in X-Service-Delivery, in any letter case, and in no other header", () => {
    assert.strictEqual(deliveryIdOf(delivery("{}", { "x-service-delivery": "dlv_1" })), "dlv_1")
    assert.deepStrictEqual(hasDeliveryId(delivery("{}", { "X-Service-Delivery": "dlv_1" })), [])
    assert.deepStrictEqual(kinds(hasDeliveryId(delivery('{"deliveryId":"dlv_1"}', {}))), [
      "missing at header x-service-delivery"
    ])
    assert.deepStrictEqual(kinds(hasDeliveryId(delivery("{}", { "X-Service-Delivery": "" }))), [
      "wrong-value at header x-service-delivery"
    ])
  })

  it("EVT-03: is equal under both of its names when the body has it", () => {
    const one = (inBody: string) => delivery(`{"deliveryId":"${inBody}"}`, { "X-Service-Delivery": "dlv_1" })
    assert.deepStrictEqual(hasDeliveryId(one("dlv_1")), [])
    assert.deepStrictEqual(kinds(hasDeliveryId(one("dlv_2"))), ["wrong-value at header x-service-delivery"])
  })

  it("EVT-05, EVT-06: stays the same in a redelivery", () => {
    const first = delivery("{}", { "X-Service-Delivery": "dlv_1" })
    assert.deepStrictEqual(hasSameId(first, first), [])
    const other = delivery("{}", { "X-Service-Delivery": "dlv_2" })
    assert.deepStrictEqual(kinds(hasSameId(other, first)), ["wrong-value at header x-service-delivery"])
    assert.deepStrictEqual(kinds(hasSameId(delivery("{}", {}), first)), ["missing at header x-service-delivery"])
  })
})
