// Tests the effect of each environment variable on traces.
import { describe, expect, it } from 'vitest';
import { EnvironmentError, readTracingSettings } from './tracing-settings.js';

const on = { SERVICE_OTEL_ENABLED: 'true' };
const defaults = { endpoint: 'http://127.0.0.1:4317', serviceName: 'portico' };

describe('readTracingSettings', () => {
  it.each([undefined, '', 'false', '0', 'False'])('is off with SERVICE_OTEL_ENABLED=%s', (value) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'not looked at', SERVICE_OTEL_ENABLED: value };
    expect(readTracingSettings(env)).toBeNull();
  });

  it.each([
    ['true', {}, defaults],
    ['1', {}, defaults],
    ['TRUE', { SERVICE_SERVICE_NAME: 'billing' }, { ...defaults, serviceName: 'billing' }],
    ['true', { OTEL_EXPORTER_OTLP_ENDPOINT: ' https://c.example:4317/v1 ' }, { endpoint: 'https://c.example:4317' }],
    ['true', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:secret@c.example:1' }, { endpoint: 'http://c.example:1' }],
    ['true', { SERVICE_OTEL_ENDPOINT: 'http://b.example:2' }, { endpoint: 'http://b.example:2' }],
    [
      'true',
      { OTEL_EXPORTER_OTLP_ENDPOINT: '', SERVICE_OTEL_ENDPOINT: 'http://b.example:2' },
      { endpoint: 'http://b.example:2' },
    ],
    [
      'true',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:1', SERVICE_OTEL_ENDPOINT: 'nonsense' },
      { endpoint: 'http://a:1' },
    ],
  ])('is on with SERVICE_OTEL_ENABLED=%s and %j', (value, env, settings) => {
    expect(readTracingSettings({ ...env, SERVICE_OTEL_ENABLED: value })).toEqual({ ...defaults, ...settings });
  });

  it.each([
    [{ SERVICE_OTEL_ENABLED: 'yes' }, 'SERVICE_OTEL_ENABLED'],
    [{ ...on, OTEL_EXPORTER_OTLP_ENDPOINT: 'c.example:4317' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    [{ ...on, OTEL_EXPORTER_OTLP_ENDPOINT: 'secret://token@c.example' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    [{ ...on, SERVICE_OTEL_ENDPOINT: 'unix:///run/otlp' }, 'SERVICE_OTEL_ENDPOINT'],
  ])('refuses %j, naming the variable but not its value', (env, variable) => {
    const read = () => readTracingSettings(env);
    expect(read).toThrow(EnvironmentError);
    expect(read).toThrow(new RegExp(`^environment variable ${variable}: expected [^@]+$`));
  });
});
