// Shows the description of the API. Nothing on the page may call out: no fonts, no telemetry, no assistant, no request proxy of
// a third party. The policy of the page holds it to that.
globalThis.Scalar.createApiReference('#app', {
  url: '/openapi.json',
  withDefaultFonts: false,
  // As the description lists them: what matters first.
  orderSchemaPropertiesBy: 'preserve',
  orderRequiredPropertiesFirst: false,
  // Snippets and the request tester show where the key belongs, in the form that keys have.
  authentication: { securitySchemes: { apiKey: { value: 'key_test_pvt_YOUR_KEY' } } },
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
});
