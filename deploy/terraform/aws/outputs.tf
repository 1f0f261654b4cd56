output "address" {
  description = "Name of the load balancer, to which the host of public_url must point."
  value       = aws_lb.vault.dns_name
}

output "root_key_arn" {
  description = "The root key. Without it, the data cannot be read."
  value       = aws_kms_key.root.arn
}

output "database_url_secret_arn" {
  description = "Secret with the address of the database, for commands such as bootstrap."
  value       = aws_secretsmanager_secret.database_url.arn
}
