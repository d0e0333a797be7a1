// An identity provider for the tests: the package `oidc-provider`, with registration, PKCE and refresh tokens.
// usage: node identity.mjs PORT RESOURCE ACCESS_TOKEN_SECONDS
import { createServer } from "node:http";
import { Provider } from "oidc-provider";

const [port, resource, seconds] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
// A secret with everything that means something in a header or a form.
const byHand = (method) => ({
  client_id: method,
  client_secret: "of: an/admin+%41=&",
  token_endpoint_auth_method: method,
  application_type: "native",
  redirect_uris: ["http://127.0.0.1/api/v1/mcp-servers/callback"],
  grant_types: ["authorization_code", "refresh_token"],
});
const provider = new Provider(issuer, {
  scopes: ["openid", "offline_access", "tools"],
  features: {
    devInteractions: { enabled: true },
    registration: { enabled: true },
    introspection: { enabled: true, allowedPolicy: () => true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({ scope: "tools", accessTokenTTL: Number(seconds), accessTokenFormat: "opaque" }),
    },
  },
  clients: [
    {
      client_id: "guard",
      client_secret: "guard-secret",
      token_endpoint_auth_method: "client_secret_basic",
      redirect_uris: [],
      grant_types: [],
      response_types: [],
    },
    byHand("client_secret_basic"),
    byHand("client_secret_post"),
  ],
  clientDefaults: { token_endpoint_auth_method: "none" },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  issueRefreshToken: () => true,
  rotateRefreshToken: true,
  pkce: { required: () => true },
  cookies: { keys: ["a key for tests"] },
});
provider.proxy = false;
createServer(provider.callback()).listen(Number(port), "127.0.0.1");
