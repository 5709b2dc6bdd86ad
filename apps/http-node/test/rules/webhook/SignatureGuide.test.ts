import { assert, describe, it } from "@effect/vitest"
import { verification } from "@wcs/api/guides/Verification"
import { Webhook } from "standardwebhooks"

describe("the guide to signatures", () => {
  it("checks signatures like Standard Webhooks: accepts the own one and refuses others", async () => {
    const [, source = ""] = /^```js\n(.*?)^```$/ms.exec(verification) ?? []
    const { isGenuine } = await import(`data:text/javascript,${encodeURIComponent(source)}`)
    const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
    const body = '{"type":"webhook.test"}'
    const signature = new Webhook(secret).sign("dlv_0000000000000001", new Date(1_772_445_600_000), body)
    const headers = {
      "webhook-id": "dlv_0000000000000001",
      "webhook-timestamp": "1772445600",
      "webhook-signature": `v1,${"A".repeat(43)}= ${signature}`
    }
    assert.isTrue(isGenuine(secret, headers, body))
    assert.isFalse(isGenuine(secret, headers, `${body} `))
    assert.isFalse(isGenuine(secret, { ...headers, "webhook-timestamp": "1772445601" }, body))
    assert.isFalse(isGenuine(secret, { ...headers, "webhook-signature": "v1," }, body))
  })
})
