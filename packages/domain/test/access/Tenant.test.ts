import { assert, describe, it } from "@effect/vitest"
import { addingHost, hostName, hostsOfNewTenant, isHostName, removingHost } from "@wcs/domain/access/Tenant"
import { Result } from "effect"
import * as fc from "fast-check"

describe("Tenant", () => {
  it.each(["[::1]x.evil", "[::1]]", "[::1", "[:::]", "[1]", "a b", "a/b", ""])(
    "normalizes %j to an invalid host",
    (authority) => {
      assert.isFalse(isHostName(hostName(authority)))
    }
  )

  it.each([
    ["acme.example.org", "acme.example.org"],
    ["ACME.Example.ORG", "acme.example.org"],
    ["acme.example.org:8443", "acme.example.org"],
    ["acme.example.org.", "acme.example.org"],
    ["acme.example.org.:8443", "acme.example.org"],
    ["acme.example.org:", "acme.example.org"],
    ["localhost:3000", "localhost"],
    ["127.0.0.1:3000", "127.0.0.1"],
    ["[::1]", "[::1]"],
    ["[::1]:3000", "[::1]"],
    ["[2001:DB8::1]:443", "[2001:db8::1]"],
    ["[0:0:0:0:0:0:0:1]", "[::1]"],
    ["[2001:db8:0:0::0001]:443", "[2001:db8::1]"]
  ])("normalizes %s to %s", (authority, host) => {
    assert.strictEqual(hostName(authority), host)
    assert.isTrue(isHostName(host))
  })

  it("threat 1: normalizing a host twice changes nothing", () => {
    const label = fc.string({ unit: fc.constantFrom(..."abcXYZ019"), minLength: 1, maxLength: 8 })
    const authority = fc
      .tuple(
        fc.array(label, { minLength: 1, maxLength: 4 }),
        fc.constantFrom("", "."),
        fc.constantFrom("", ":1", ":65535")
      )
      .map(([labels, dot, port]) => labels.join(".") + dot + port)
    fc.assert(
      fc.property(authority, (authority) => {
        const host = hostName(authority)
        assert.isTrue(isHostName(host))
        assert.strictEqual(hostName(host), host)
        assert.strictEqual(hostName(authority.toUpperCase()), host)
      })
    )
  })

  it.each([
    "",
    ".",
    "-acme",
    "acme-",
    "acme..example",
    ".acme",
    "acme_1",
    "acme example",
    "acme/evil",
    "user@acme",
    "acme:80",
    "acme\n",
    "Acme",
    "äcme",
    "acme.",
    "*.example.org",
    "[::1",
    "::1",
    `${"a".repeat(64)}.org`,
    `${"a.".repeat(127)}a`
  ])("refuses the host name %j", (text) => {
    assert.isFalse(isHostName(text))
  })

  it("allows labels of 63 characters and names of 253", () => {
    assert.isTrue(isHostName("a".repeat(63)))
    const longest = `${"a".repeat(63)}.`.repeat(3) + "a".repeat(61)
    assert.lengthOf(longest, 253)
    assert.isTrue(isHostName(longest))
    assert.isFalse(isHostName(`${longest}a`))
  })
})

describe("the hosts of a tenant", () => {
  const twenty = Array.from({ length: 20 }, (_, index) => `h${index}.example`)

  it("get a normalized host at the end, and do not change if it is among them", () => {
    assert.deepStrictEqual(addingHost("B.example.")(["a.example"]), Result.succeed(["a.example", "b.example"]))
    const hosts = ["a.example"]
    assert.deepStrictEqual(addingHost("A.example")(hosts), Result.succeed(hosts))
    assert.deepStrictEqual(addingHost("h0.example")(twenty), Result.succeed(twenty))
  })

  it("lose a host, but never the last one", () => {
    assert.deepStrictEqual(removingHost("A.example")(["a.example", "b.example"]), Result.succeed(["b.example"]))
    const last = Result.getOrThrow(Result.flip(removingHost("a.example")(["a.example"])))
    assert.strictEqual(last._tag, "InvalidArgument")
    const unknown = Result.getOrThrow(Result.flip(removingHost("c.example")(["a.example", "b.example"])))
    assert.match(unknown.reason, /^c\.example is not a host of the tenant/)
  })

  it("have one form of an IPv6 address", () => {
    const hosts = ["a.example", "[2001:db8::1]"]
    assert.deepStrictEqual(addingHost("[2001:DB8:0::1]")(hosts), Result.succeed(hosts))
    assert.deepStrictEqual(removingHost("[2001:db8:0:0::1]")(hosts), Result.succeed(["a.example"]))
    assert.deepStrictEqual(removingHost("[::1]")(["[0::1]", "a.example"]), Result.succeed(["a.example"]))
    const created = hostsOfNewTenant(["[2001:db8:0::1]", "[2001:db8::1]"])
    assert.deepStrictEqual(created, Result.succeed(["[2001:db8::1]"]))
  })

  it.each([
    ["a.example:8443", "must have no port: use a.example"],
    ["A.example:", "must have no port: use a.example"],
    ["[0::1]:443", "must have no port: use [::1]"],
    ["bücher.example", "bücher.example is not a valid host name: use its ASCII form xn--bcher-kva.example"],
    ["bücher example", "bücher example is not a valid host name"],
    ["2001:db8::1", "2001:db8::1 is not a valid host name"]
  ])("refuse %j: %s", (host, reason) => {
    for (const change of [addingHost(host), removingHost(host), () => hostsOfNewTenant([host])]) {
      const refused = Result.getOrThrow(Result.flip(change(["a.example", "b.example"])))
      assert.strictEqual(refused.reason, reason)
    }
  })

  it.each([["https://x"], [""], ["a b"], ["*.example"]])("refuse %j", (host) => {
    assert.isTrue(Result.isFailure(addingHost(host)(["a.example"])))
  })

  it("are at most 20", () => {
    assert.isTrue(Result.isFailure(addingHost("one-more.example")(twenty)))
    assert.isTrue(Result.isSuccess(addingHost("one-more.example")(twenty.slice(1))))
  })
})
