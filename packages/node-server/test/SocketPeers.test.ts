import { assert, describe, it } from "@effect/vitest"
import { type Connection, peerOf } from "@wcs/node-server/SocketPeers"
import ipaddr from "ipaddr.js"

const proxies = [ipaddr.parseCIDR("10.0.0.0/8"), ipaddr.parseCIDR("fd00::/8")]

type Row = readonly [why: string, connection: Partial<Connection>, address: string, secure: boolean]

/** One connection per row, and the client that it must be attributed to. */
const rows: ReadonlyArray<Row> = [
  ["the socket's address, over TLS", { encrypted: true }, "203.0.113.9", true],
  ["the socket's address, in plain", {}, "203.0.113.9", false],
  [
    "an untrusted peer's headers are ignored",
    { forwardedFor: "1.2.3.4", forwardedProto: "https" },
    "203.0.113.9",
    false
  ],
  ["also over TLS", { encrypted: true, forwardedFor: "1.2.3.4", forwardedProto: "http" }, "203.0.113.9", true],
  ["IPv4 over IPv6 is IPv4", { remoteAddress: "::ffff:203.0.113.9", encrypted: true }, "203.0.113.9", true],
  ["a trusted proxy without a header is plain", { remoteAddress: "10.1.1.1" }, "10.1.1.1", false],
  [
    "a trusted proxy's header is used",
    { remoteAddress: "10.1.1.1", forwardedFor: "198.51.100.7", forwardedProto: "https" },
    "198.51.100.7",
    true
  ],
  [
    "counts an IPv6 /64 network as one client",
    { remoteAddress: "2001:db8:1:2:aaaa:bbbb:cccc:dddd", encrypted: true },
    "2001:db8:1:2::/64",
    true
  ],
  [
    "over IPv6 too",
    { remoteAddress: "fd00::1", forwardedFor: "2001:db8::1", forwardedProto: "HTTPS" },
    "2001:db8::/64",
    true
  ],
  [
    "as IPv4 over IPv6 too",
    { remoteAddress: "::ffff:10.1.1.1", forwardedFor: "198.51.100.7", forwardedProto: "https" },
    "198.51.100.7",
    true
  ],
  [
    "the right-most address that is not a proxy is the client: entries to its left are its own claims",
    { remoteAddress: "10.1.1.1", forwardedFor: "1.2.3.4, 198.51.100.7, 10.2.2.2", forwardedProto: "https" },
    "198.51.100.7",
    true
  ],
  [
    "several headers are one list",
    { remoteAddress: "10.1.1.1", forwardedFor: ["1.2.3.4", "198.51.100.7"], forwardedProto: "https" },
    "198.51.100.7",
    true
  ],
  [
    "a malformed address ends the list",
    { remoteAddress: "10.1.1.1", forwardedFor: "198.51.100.7, unknown", forwardedProto: "https" },
    "10.1.1.1",
    true
  ],
  [
    "also for an IPv4 client",
    { remoteAddress: "10.1.1.1", forwardedFor: "198.51.100.7:5678", forwardedProto: "https" },
    "198.51.100.7",
    true
  ],
  [
    "a port is not part of the address",
    { remoteAddress: "10.1.1.1", forwardedFor: "[2001:db8::1]:4711", forwardedProto: "https" },
    "2001:db8::/64",
    true
  ],
  [
    "a list of proxies only gives the farthest",
    { remoteAddress: "10.1.1.1", forwardedFor: "10.9.9.9" },
    "10.9.9.9",
    false
  ],
  [
    "one plain hop makes the request plain",
    { remoteAddress: "10.1.1.1", forwardedProto: "https, http" },
    "10.1.1.1",
    false
  ],
  [
    "a plain client stays plain though its proxy used TLS",
    { remoteAddress: "10.1.1.1", encrypted: true, forwardedProto: "http" },
    "10.1.1.1",
    false
  ],
  [
    "the socket decides for a proxy over TLS without a header",
    { remoteAddress: "10.1.1.1", encrypted: true },
    "10.1.1.1",
    true
  ],
  ["a closed socket has no address", { remoteAddress: undefined, encrypted: true }, "unknown", true]
]

const whole = (connection: Partial<Connection>): Connection => ({
  remoteAddress: "203.0.113.9",
  encrypted: false,
  forwardedFor: undefined,
  forwardedProto: undefined,
  ...connection
})

describe("SocketPeers (threat 26), with TLS terminated at the proxies", () => {
  for (const [why, connection, address, secure] of rows) {
    it(why, () => assert.deepStrictEqual(peerOf(whole(connection), { proxies, endTls: true }), { address, secure }))
  }
})

describe("SocketPeers (threat 26), with TLS terminated here", () => {
  for (const [why, connection, address, secure] of rows) {
    it(`TRN-01: ${why}, and plain HTTP stays plain with any header`, () => {
      const expected = { address, secure: secure && connection.encrypted === true }
      assert.deepStrictEqual(peerOf(whole(connection), { proxies, endTls: false }), expected)
    })
  }
})
