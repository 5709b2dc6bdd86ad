import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { verification } from "@wcs/api/guides/Verification"
import { Webhook } from "standardwebhooks"

const [, source = ""] = /^```js\n(.*?)^```$/ms.exec(verification) ?? []

/** The results of the guide's code for these requests. */
const judged = (requests: ReadonlyArray<ReadonlyArray<unknown>>): unknown => {
  const program = `${source}\nconsole.log(JSON.stringify(${JSON.stringify(requests)}.map((one) => isGenuine(...one))))`
  return JSON.parse(spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }).stdout)
}

describe("the guide to signatures", () => {
  it("checks signatures like Standard Webhooks: accepts one of several, and refuses a changed request", () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
    const body = '{"type":"webhook.test"}'
    const signature = new Webhook(secret).sign("dlv_0000000000000001", new Date(1_772_445_600_000), body)
    const headers = {
      "webhook-id": "dlv_0000000000000001",
      "webhook-timestamp": "1772445600",
      "webhook-signature": `v1,${"A".repeat(43)}= ${signature}`
    }
    const requests = [
      [secret, headers, body],
      [secret, headers, `${body} `],
      [secret, { ...headers, "webhook-timestamp": "1772445601" }, body],
      [secret, { ...headers, "webhook-signature": "v1," }, body]
    ]
    assert.deepStrictEqual(judged(requests), [true, false, false, false])
  })
})
