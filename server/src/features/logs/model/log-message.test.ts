import { describe, expect, it } from 'vitest';
import { toLogMessage } from './log-message.ts';

describe('toLogMessage', () => {
  it.each([
    ['token', 'create', 'success', 'Token created'],
    ['card', 'read', 'success', 'Token retrieved'],
    ['token', 'update', 'success', 'Token updated'],
    ['bank', 'delete', 'success', 'Token deleted'],
    ['token', 'expire', 'success', 'Token expired'],
    ['token', 'property_expired', 'success', 'Token property expired'],
    ['proxy', 'invoke', 'success', 'Proxy invoked'],
    ['token', 'read', 'denied', 'Token retrieval denied'],
    ['token', 'read', 'missed', 'Token retrieval found nothing'],
    ['token', 'search', 'success', 'Tokens searched'],
    ['token', 'search', 'missed', 'Token search found nothing'],
    ['member', 'issue_link', 'success', 'Sign-in link issued'],
    ['member', 'change_sign_in', 'success', 'Sign-in methods changed'],
    ['member', 'use_recovery_code', 'success', 'Recovery code used'],
    ['application', 'issue_key', 'success', 'Application key issued by an operator'],
    ['invitation', 'issue_link', 'success', 'Invitation link issued'],
    ['invitation', 'accept', 'success', 'Invitation accepted'],
    ['invitation', 'resend', 'success', 'Invitation resent'],
    ['key', 'acknowledge', 'success', 'Key alert acknowledged'],
    ['session', 'sign_in', 'success', 'Signed in'],
    ['session', 'sign_in', 'denied', 'Sign-in denied'],
    ['session', 'sign_out', 'success', 'Signed out'],
    ['session', 'authorize', 'success', 'Session authorized'],
    ['tenant', 'configure', 'success', 'Tenant settings changed'],
    ['export', 'request', 'success', 'Export requested'],
    ['export', 'approve', 'success', 'Export approved'],
    ['export', 'refuse', 'success', 'Export refused'],
    ['export', 'run', 'intent', 'Export run begun'],
    ['export', 'run', 'success', 'Export completed'],
    ['import', 'run', 'failed', 'Import run failed'],
    ['key', 'rotate', 'success', 'Key rotated'],
    ['key', 'reencrypt', 'success', 'Key re-encryption completed'],
    ['key', 'retire', 'success', 'Key retired'],
    ['key', 'rewrap', 'success', 'Key rewrapped'],
  ] as const)('of a %s: %s, %s is "%s"', (entityType, operation, outcome, message) => {
    expect(toLogMessage(entityType, operation, outcome)).toBe(message);
  });
});
